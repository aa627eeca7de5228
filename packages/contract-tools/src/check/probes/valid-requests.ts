/**
 * Sends valid requests, each of which must be answered as documented. The first ones are chosen: the plainest
 * request, the document's examples, and a value at each bound of each schema. Then come generated ones, from
 * the whole space of the schemas.
 */

import fc from 'fast-check';
import type { Operation, Parameter, RequestBody } from '../../document/operations.js';
import { isObject, show, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { membersOf, sitesOf, withPart } from '../../values/sites.js';
import { anyValue, fits, plainMembers } from '../../values/valid-values.js';
import { attempt } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import { tryGenerated } from '../answers/generate.js';
import { forEach } from '../requests/at-once.js';
import {
  exampleRequests,
  focusOn,
  noParameters,
  plainRequest,
  withParameter,
} from '../requests/plain-request.js';
import { isKeyOfRetries, requestFor } from '../requests/request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { conditionsOf } from '../resources/conditions.js';
import { isOnItem } from '../resources/held-back.js';
import { withWholePlace } from '../resources/whole-place.js';
import { boundaryValues, type Series } from '../values/boundary-values.js';
import { canCarry, plainText } from '../values/carried-texts.js';
import { readText, type Text, writeText } from '../values/parameter-text.js';
import { askBeside, type ProbeRun } from './probe-run.js';
import { isTakenBesideOthers } from './related-members.js';

interface ValidCase {
  readonly values: RequestValues;
  readonly focus: Focus | undefined;
  readonly why: string;
  /** Whether the document names the value that is tried, and does not only allow it. */
  readonly isNamed: boolean;
  /** Whether a rule of the contract says that the request is taken. */
  readonly isPromised?: boolean;
  /** Cases that differ from this one only in the length of its text. */
  readonly series?: { readonly least: number; readonly length: number; at(length: number): ValidCase };
}

export async function probeValidRequests(run: ProbeRun): Promise<void> {
  // One operation after the other: the second may need what the first one made.
  for (const operation of run.operations) {
    const shortened = new Set<string>();
    await forEach(run, boundaryCases(run, operation), async (tried) => {
      const isRight = await tryValid(run, operation, boundTitle, tried);
      const place = `${tried.focus?.part} ${tried.focus?.where}`;
      if (isRight || shortened.has(place)) return;
      shortened.add(place);
      await tryShorter(run, operation, tried);
    });
  }
  for (const operation of run.operations) {
    if (operation.parameters.length === 0 && operation.body === undefined) continue;
    await tryGenerated(run, casesFor(run, operation), anyRequest(operation), (values) =>
      tryValid(run, operation, 'accepts any valid request', {
        values,
        focus: undefined,
        why: 'generated',
        isNamed: false,
      }),
    );
  }
}

const boundTitle = 'accepts valid requests at the bounds';
/** Requests that name nothing but an item and its tag are all alike, because each gets those of the checker's own. */
const maxAlike = 16;

function casesFor({ cases, meaning }: ProbeRun, operation: Operation): number {
  const clients = meaning.collections.map(({ client }) => client);
  const tags = conditionsOf(operation).map(({ parameter }) => parameter);
  const isAlike =
    operation.body === undefined &&
    operation.parameters.every((one) => one.in === 'path' || tags.includes(one));
  return isAlike && isOnItem(operation, clients) ? Math.min(cases, maxAlike) : cases;
}

/**
 * Looks for the shortest text that is refused as well: a server that takes 1,000 letters of the 2,000 that the
 * document allows is shown with 1,001, and not with 1,999. The recorder keeps the smallest case. Each trial
 * halves the lengths that are left: ten requests are enough for 1,000 of them.
 */
async function tryShorter(run: ProbeRun, operation: Operation, { series }: ValidCase): Promise<void> {
  if (series === undefined) return;
  let [good, bad] = [series.least - 1, series.length];
  while (bad - good > 1 && !run.signal.aborted) {
    const middle = Math.floor((good + bad) / 2);
    if (await tryValid(run, operation, boundTitle, series.at(middle))) good = middle;
    else bad = middle;
  }
}

async function tryValid(
  run: ProbeRun,
  operation: Operation,
  title: string,
  { values, focus, why, isNamed, isPromised }: ValidCase,
): Promise<boolean> {
  const whole = withWholePlace(operation, values);
  // The rule tries that a reference to nothing is refused.
  if (focus && run.description.rules.on.has('references') && run.meaning.refersAt(operation, focus))
    return true;
  const prepared = await run.meaning.prepare(operation, whole, 'accepted', focus);
  if (prepared === undefined) return true;
  const isChoosy = focus !== undefined && run.meaning.isChoosy(operation, focus);
  const namesUnknown = run.meaning.namesUnknown(operation, prepared.values, focus);
  return attempt(run, {
    operation,
    title,
    description: why,
    request: requestFor(operation, prepared.values, run.accounts.first),
    expectation: {
      ...accepted(operation, prepared.statuses),
      ...{ isUnnamed: !isNamed || isChoosy, isPromised, namesUnknown },
    },
    prepared,
    isElsewhere: async (status) =>
      (focus !== undefined && (await askBeside(run, operation))?.status === status) ||
      (await isTakenBesideOthers(run, operation, whole, focus)),
  });
}

function boundaryCases(run: ProbeRun, operation: Operation): ValidCase[] {
  const plain = run.meaning.baseOf(operation);
  const ofParameters = operation.parameters.flatMap((parameter) =>
    boundaryValues([parameter.schema]).flatMap(({ value, why, isNamed, series }) => {
      const text = writeText(value);
      if (text === undefined || !canCarry(parameter, text)) return [];
      const caseOf = (one: Text, words: string): ValidCase => ({
        values: withParameter(plain, parameter, one),
        focus: focusOn(parameter),
        why: `${parameter.name}: ${words}`,
        isNamed,
      });
      return {
        ...caseOf(text, why),
        ...seriesOf(series, (shorter) => caseOf(writeText(shorter.value) ?? text, shorter.why)),
      };
    }),
  );
  return [
    { values: plain, focus: undefined, why: 'the plainest request', isNamed: true },
    ...exampleCases(operation),
    ...ofParameters,
    ...(operation.body ? bodyCases(run, operation.body, plain) : []),
  ];
}

function exampleCases(operation: Operation): ValidCase[] {
  const textOf = (values: RequestValues): string => JSON.stringify(requestFor(operation, values, undefined));
  const plain = textOf(plainRequest(operation));
  return exampleRequests(operation)
    .filter((values) => textOf(values) !== plain)
    .map((values) => ({ values, focus: undefined, why: 'an example of the document', isNamed: false }));
}

/** A body with what is tried in it. */
interface BodyCandidate extends Pick<ValidCase, 'why' | 'isNamed' | 'isPromised'> {
  readonly body: Value;
  readonly pointer: string;
  readonly series?: Series | undefined;
}

function bodyCases(run: ProbeRun, { schema }: RequestBody, plain: RequestValues): ValidCase[] {
  const named = run.description.rules.on.has('unnamed-members');
  const body = plain.body ?? null;
  const atBounds = sitesOf([schema]).flatMap(({ pointer, layers }) =>
    boundaryValues(layers).map(({ value, why, isNamed, series }) => ({
      body: withPart(body, pointer, value),
      pointer,
      why: `body${pointer}: ${why}`,
      isNamed,
      series,
    })),
  );
  // Members may exclude or need each other.
  const shapes = optionalMembers(schema, body).map((shape) => ({ ...shape, pointer: '', isNamed: false }));
  const promised = (named ? unknownMembers(body) : []).map((shape) => ({
    ...shape,
    pointer: '',
    isNamed: true,
    isPromised: true,
  }));
  const candidates: readonly BodyCandidate[] = [...atBounds, ...shapes, ...promised];
  return candidates
    .filter((candidate) => fits([schema], candidate.body))
    .map((candidate) => {
      const { pointer, isNamed, isPromised = false, series } = candidate;
      const caseOf = (one: Value, why: string): ValidCase => ({
        values: { ...plain, body: one },
        focus: { part: 'body', where: pointer },
        ...{ why, isNamed, isPromised },
      });
      return {
        ...caseOf(candidate.body, candidate.why),
        ...seriesOf(series, ({ value, why }) =>
          caseOf(withPart(body, pointer, value), `body${pointer}: ${why}`),
        ),
      };
    });
}

function seriesOf(
  series: Series | undefined,
  caseOf: (shorter: ReturnType<Series['at']>) => ValidCase,
): Pick<ValidCase, 'series'> {
  if (series === undefined) return {};
  return { series: { ...series, at: (length) => caseOf(series.at(length)) } };
}

function optionalMembers(schema: RequestBody['schema'], body: Value): { body: Value; why: string }[] {
  const optional = membersOf(layersOf(schema)).filter(({ required }) => !required);
  const plain = plainMembers(membersOf(layersOf(schema)));
  const all = optional.reduce((whole, { name }) => withPart(whole, `/${name}`, plain[name]), body);
  return [
    { body: all, why: 'every optional member' },
    ...optional.map(({ name }) => ({ body: withPart(all, `/${name}`, undefined), why: `without "${name}"` })),
  ];
}

/** JSON Schema allows members that it does not name, unless it says otherwise. */
function unknownMembers(body: Value): { body: Value; why: string }[] {
  const strangers: [string, Value][] = [
    ['unknown', 'text'],
    ['toString', null],
    ['constructor', { prototype: [] }],
    ['', 10n ** 30n],
    ['a/b~c', [[[]]]],
  ];
  return isObject(body)
    ? strangers.map(([name, value]) => ({
        body: { ...body, [name]: value },
        why: `a member that nothing names: ${show({ [name]: value })}`,
      }))
    : [];
}

function anyRequest(operation: Operation): fc.Arbitrary<RequestValues> {
  const { parameters, body } = operation;
  const { headers } = plainRequest(operation);
  const texts = fc.tuple(
    ...parameters.map((parameter) => {
      // A generated key may come twice, which asks for the first answer again. The plain one is made anew for each request.
      if (isKeyOfRetries(parameter.name)) return fc.constant(headers[parameter.name]);
      const text = anyText(parameter);
      return parameter.required ? text : fc.option(text, { nil: undefined });
    }),
  );
  const anyBody = body === undefined ? fc.constant(undefined) : anyValue([body.schema]);
  return fc.tuple(texts, anyBody).map(([given, value]) =>
    parameters.reduce(
      (values, parameter, index) => {
        const text = given[index];
        return text === undefined ? values : withParameter(values, parameter, text);
      },
      { ...noParameters, body: value },
    ),
  );
}

/** Generates texts of a parameter; one that a request cannot carry is replaced by the plain one. */
function anyText(parameter: Parameter): fc.Arbitrary<Text> {
  const { schema } = parameter;
  return anyValue([schema]).map((value) => {
    const text = writeText(parameter.in === 'header' ? printableOnly(value) : value);
    const fit = text !== undefined && canCarry(parameter, text) && fits([schema], readText(schema, text));
    return fit ? text : plainText(parameter);
  });
}

/** Replaces each character that a header must not have by one that it may have. */
function printableOnly(value: Value): Value {
  if (typeof value !== 'string') return value;
  return Array.from(value, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0x20 && code < 0x7f ? character : String.fromCharCode(0x21 + (code % 94));
  }).join('');
}
