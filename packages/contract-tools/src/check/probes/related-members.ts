/**
 * Finds out whether a value was refused because of another one: that `ends_at` comes after `starts_at` is a rule that no
 * schema can say, so that the greatest `starts_at` is refused although the document allows it. Members of one object, or
 * parameters of the query, of one type that has an order, such as dates or integers, are changed together with the value
 * that was refused. If any of these requests succeeds, the value alone was not the reason.
 */
import type { Node } from '../../document/node.js';
import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { integerBounds, typeOf } from '../../values/bounds.js';
import { formattedTexts, laterText } from '../../values/formats.js';
import type { Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { sitesOf, valueAt, withPart } from '../../values/sites.js';
import { fits } from '../../values/valid-values.js';
import { focusOn, parameterOf, withParameter } from '../requests/plain-request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { readText, writeText } from '../values/parameter-text.js';
import { askBeside, type ProbeRun } from './probe-run.js';

/** A member of the body or a parameter of the query. */
interface Place {
  readonly focus: Focus;
  readonly name: string;
  readonly layers: readonly Node[];
  valueIn(values: RequestValues): Value | undefined;
  /** @returns undefined if the place cannot have the value */
  put(values: RequestValues, value: Value): RequestValues | undefined;
}

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
  const places = placesOf(operation);
  if (focus !== undefined) return isTakenBeside(run, operation, values, comparableWith(places, focus), focus);
  for (const place of places) {
    const comparable = comparableWith(places, place.focus);
    const isFirst = comparable[0] === place;
    if (isFirst && (await isTakenBeside(run, operation, values, comparable, place.focus))) return true;
  }
  return false;
}

async function isTakenBeside(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues,
  comparable: readonly Place[],
  focus: Focus,
): Promise<boolean> {
  const places = comparable.filter((place) => place.valueIn(values) !== undefined);
  const at = places.findIndex((place) => isSame(place.focus, focus));
  const value = places[at]?.valueIn(values);
  if (places.length < 2 || value === undefined) return false;
  const others: ((place: Place, index: number) => Value | undefined)[] = [
    () => value,
    ({ layers }, index) => endsOf(layers)[index < at ? 0 : 1],
    ({ layers }, index) => endsOf(layers)[index < at ? 1 : 0],
    // The value may be an end itself, beside which only one beyond it is in order.
    (place, index) => stepsFrom(value, index - at, kindOf(place)),
    (place, index) => stepsFrom(value, at - index, kindOf(place)),
  ];
  for (const other of others) {
    const changed = places.reduce<RequestValues | undefined>((whole, place, index) => {
      const part = index === at ? value : other(place, index);
      return part === undefined || whole === undefined ? whole : place.put(whole, part);
    }, values);
    const isWhole =
      operation.body === undefined ||
      changed?.body === undefined ||
      fits([operation.body.schema], changed.body);
    if (changed === undefined || !isWhole) continue;
    const step = await askBeside(run, operation, changed, focus);
    if (step === undefined) return false;
    if (!succeeded(operation, step)) continue;
    const names = places.map(({ name }) => `"${name}"`).join(', ');
    run.recorder.note(
      `${operation.id} refuses values of ${names} that the document allows, because of each other: add an example of a request that it takes.`,
    );
    return true;
  }
  return false;
}

function placesOf({ body, parameters }: Operation): Place[] {
  const members = body === undefined ? [] : sitesOf([body.schema]);
  return [
    ...parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => ({
        focus: focusOn(parameter),
        name: parameter.name,
        layers: layersOf(parameter.schema),
        valueIn(values: RequestValues) {
          const text = parameterOf(values, parameter);
          return text === undefined ? undefined : readText(parameter.schema, text);
        },
        put(values: RequestValues, value: Value) {
          const text = fits([parameter.schema], value) ? writeText(value) : undefined;
          return text === undefined ? undefined : withParameter(values, parameter, text);
        },
      })),
    ...members
      .filter(({ pointer }) => pointer !== '')
      .map(({ pointer, layers }) => ({
        focus: { part: 'body', where: pointer } as const,
        name: pointer.slice(pointer.lastIndexOf('/') + 1),
        layers,
        valueIn: ({ body: whole }: RequestValues) =>
          whole === undefined ? undefined : valueAt(whole, pointer),
        put: (values: RequestValues, value: Value) => ({
          ...values,
          body: withPart(values.body ?? null, pointer, value),
        }),
      })),
  ];
}

function isSame(one: Focus, other: Focus): boolean {
  return one.part === other.part && one.where === other.where;
}

/** The places of the same ordered type, in the document's order: members of one object, or parameters. */
function comparableWith(places: readonly Place[], focus: Focus): Place[] {
  // The names of parameters are no pointers.
  const parentOf = ({ part, where }: Focus): string =>
    part + (part === 'body' ? where.slice(0, where.lastIndexOf('/')) : '');
  const own = places.find((place) => isSame(place.focus, focus));
  const kind = own && kindOf(own);
  if (kind === undefined) return [];
  return places.filter((place) => parentOf(place.focus) === parentOf(focus) && kindOf(place) === kind);
}

function kindOf({ layers }: Place): string | undefined {
  const type = typeOf(layers);
  if (type === 'integer' || type === 'number') return type;
  return ordered.find((format) => layers.some((layer) => layer.text('format') === format));
}

/** A value that is so many steps after another one, or before it. */
function stepsFrom(value: Value, steps: number, kind = ''): Value | undefined {
  return typeof value === 'bigint' ? value + BigInt(steps) : laterText(kind, value, steps);
}

/** The least and the greatest value that is sent. */
function endsOf(layers: Place['layers']): readonly (Value | undefined)[] {
  const texts = formattedTexts(layers)?.toSorted();
  if (texts !== undefined) return [texts[0], texts.at(-1)];
  const { least, most } = integerBounds(layers);
  return [least, most];
}
