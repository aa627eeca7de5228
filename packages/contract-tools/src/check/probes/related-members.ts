/**
 * Finds out whether a value was refused because of another member: that `ends_at` comes after `starts_at` is a rule that no
 * schema can say, so that the greatest `starts_at` is refused although the document allows it. Members of one object and
 * one type that have an order, such as dates or integers, are changed together with the value that was refused. If any of
 * these requests succeeds, the value alone was not the reason.
 */
import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { integerBounds, typeOf } from '../../values/bounds.js';
import { formattedTexts, laterText } from '../../values/formats.js';
import type { Value } from '../../values/json.js';
import { type Site, sitesOf, valueAt, withPart } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import { ask } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import { isSilence } from '../requests/reply.js';
import { requestFor } from '../requests/request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import type { ProbeRun } from './probe-run.js';

const ordered = ['date', 'time', 'date-time'];

/**
 * @param focus the member with the value; by default each that is comparable with later ones is tried
 * @returns whether the value is taken beside other values of the members that are comparable with it
 */
export async function isTakenBesideOthers(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues,
  focus: Focus | undefined,
): Promise<boolean> {
  if (focus !== undefined) return isTakenBeside(run, operation, values, focus);
  const sites = operation.body === undefined ? [] : sitesOf([operation.body.schema]);
  for (const { pointer } of sites) {
    const isFirst = comparableWith(sites, pointer)[0]?.pointer === pointer;
    if (isFirst && (await isTakenBeside(run, operation, values, { part: 'body', where: pointer })))
      return true;
  }
  return false;
}

async function isTakenBeside(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues,
  focus: Focus,
): Promise<boolean> {
  const { body } = operation;
  if (body === undefined || values.body === undefined || focus.part !== 'body') return false;
  const sites = comparableWith(sitesOf([body.schema]), focus.where).filter(
    ({ pointer }) => valueAt(values.body, pointer) !== undefined,
  );
  const at = sites.findIndex(({ pointer }) => pointer === focus.where);
  const value = valueAt(values.body, focus.where);
  if (sites.length < 2 || value === undefined) return false;
  const others: ((site: Site, index: number) => Value | undefined)[] = [
    () => value,
    ({ layers }, index) => endsOf(layers)[index < at ? 0 : 1],
    ({ layers }, index) => endsOf(layers)[index < at ? 1 : 0],
    // The value may be an end itself, beside which only one beyond it is in order.
    (site, index) => stepsFrom(value, index - at, kindOf(site)),
    (site, index) => stepsFrom(value, at - index, kindOf(site)),
  ];
  for (const other of others) {
    const changed = sites.reduce<Value>((whole, site, index) => {
      const part = index === at ? value : other(site, index);
      return part === undefined ? whole : withPart(whole, site.pointer, part);
    }, values.body);
    if (!fits([body.schema], changed)) continue;
    const prepared = await run.meaning.prepare(operation, { ...values, body: changed }, 'accepted', focus);
    if (prepared === undefined) return false;
    const request = requestFor(operation, prepared.values, run.accounts.first);
    const step = await ask(run, operation, request, accepted(operation, prepared.statuses));
    if (!isSilence(step.outcome)) prepared.verify?.(step.outcome);
    if (!succeeded(operation, step)) continue;
    const names = sites.map(({ pointer }) => `"${pointer.slice(pointer.lastIndexOf('/') + 1)}"`).join(', ');
    run.recorder.note(
      `${operation.id} refuses values of ${names} that the document allows, because of each other: add an example of a body that it takes.`,
    );
    return true;
  }
  return false;
}

/** The members of the same object that have the same ordered type, in the document's order. */
function comparableWith(sites: readonly Site[], pointer: string): Site[] {
  const parentOf = (one: string): string => one.slice(0, one.lastIndexOf('/'));
  const own = sites.find((site) => site.pointer === pointer);
  const kind = own && kindOf(own);
  if (kind === undefined) return [];
  return sites.filter((site) => parentOf(site.pointer) === parentOf(pointer) && kindOf(site) === kind);
}

function kindOf({ layers, pointer }: Site): string | undefined {
  if (pointer === '') return undefined;
  const type = typeOf(layers);
  if (type === 'integer' || type === 'number') return type;
  return ordered.find((format) => layers.some((layer) => layer.text('format') === format));
}

/** A value that is so many steps after another one, or before it. */
function stepsFrom(value: Value, steps: number, kind = ''): Value | undefined {
  return typeof value === 'bigint' ? value + BigInt(steps) : laterText(kind, value, steps);
}

/** The least and the greatest value that is sent. */
function endsOf(layers: Site['layers']): readonly (Value | undefined)[] {
  const texts = formattedTexts(layers)?.toSorted();
  if (texts !== undefined) return [texts[0], texts.at(-1)];
  const { least, most } = integerBounds(layers);
  return [least, most];
}
