/**
 * Sends valid requests, each of which must be answered as documented. The first ones are chosen: the plainest
 * request, the document's examples, and a value at each bound of each schema. Then come generated ones, from
 * the whole space of the schemas.
 */

import fc from 'fast-check';
import type { Node } from '../../document/node.js';
import type { Operation, Parameter, RequestBody } from '../../document/operations.js';
import { isFile } from '../../values/files.js';
import { isObject, show, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { membersOf, sitesOf, withPart } from '../../values/sites.js';
import { anyValue, fits, plainMembers } from '../../values/valid-values.js';
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
import type { RequestValues } from '../requests/request-values.js';
import { carries } from '../requests/write-body.js';
import { conditionsOf } from '../resources/conditions.js';
import { isOnItem } from '../resources/held-back.js';
import { withWholePlace } from '../resources/whole-place.js';
import { boundaryValues, type Sample } from '../values/boundary-values.js';
import { canCarry, plainText } from '../values/carried-texts.js';
import { readText, type Text, writeText } from '../values/parameter-text.js';
import type { ProbeRun } from './probe-run.js';
import { isTakenBesideOthers } from './related-members.js';
import type { RowTrial } from './trial.js';
import { isAlikeWithout, tryVariant, type Variant } from './variants.js';

interface ValidCase extends Pick<Variant, 'focus'> {
  readonly base: RequestValues;
  readonly description: string;
  /** Whether the document names the value that is tried, and does not only allow it. */
  readonly isNamed: boolean;
  /** Whether a rule of the contract says that the request is taken. */
  readonly isPromised?: boolean;
  /** Cases that differ from this one only in the length of its text. */
  readonly series?: { readonly least: number; readonly length: number; at(length: number): ValidCase };
}

export async function probeValidRequests(trial: RowTrial): Promise<void> {
  const { run } = trial;
  // One operation after the other: the second may need what the first one made.
  for (const operation of run.operations) {
    const shortened = new Set<string>();
    await forEach(run, boundaryCases(trial, operation), async (tried) => {
      const isRight = await tryValid(trial, operation, tried);
      const place = `${tried.focus?.part} ${tried.focus?.where}`;
      if (isRight || shortened.has(place)) return;
      shortened.add(place);
      await tryShorter(trial, operation, tried);
    });
  }
  const anything = { description: 'generated', isNamed: false };
  for (const operation of run.operations) {
    const { body, parameters } = operation;
    // Files are few, and each of them is a case already.
    if (body?.parts !== undefined || (parameters.length === 0 && body === undefined)) continue;
    await tryGenerated(run, casesFor(run, operation), anyRequest(operation), (base) =>
      tryValid(trial, operation, { ...anything, base }, 'accepts any valid request'),
    );
  }
}

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
async function tryShorter(trial: RowTrial, operation: Operation, { series }: ValidCase): Promise<void> {
  if (series === undefined) return;
  let [good, bad] = [series.least - 1, series.length];
  while (bad - good > 1 && !trial.run.signal.aborted) {
    const middle = Math.floor((good + bad) / 2);
    if (await tryValid(trial, operation, series.at(middle))) good = middle;
    else bad = middle;
  }
}

async function tryValid(
  trial: RowTrial,
  operation: Operation,
  { base: values, description, focus, isNamed, isPromised }: ValidCase,
  title = trial.row.title,
): Promise<boolean> {
  const { run } = trial;
  // The rule tries that a reference to nothing is refused.
  if (focus && trial.isOn('references') && run.meaning.refersAt(operation, focus)) return true;
  const base = withWholePlace(operation, values);
  const isChoosy = focus !== undefined && run.meaning.isChoosy(operation, focus);
  return tryVariant(trial, {
    ...{ operation, title, description, focus, base },
    expectation: { ...accepted(operation), isUnnamed: !isNamed || isChoosy, isPromised },
    isElsewhere: async (status) =>
      (focus !== undefined && (await isAlikeWithout(run, operation, status))) ||
      (isRefusal(operation, status) && (await isTakenBesideOthers(run, operation, base, focus))),
  });
}

/** A rule between members is a documented failure. A server that breaks down at a value is a fault, whatever is beside it. */
function isRefusal({ responses }: Operation, status: number): boolean {
  return status < 500 && responses.has(status);
}

function boundaryCases(trial: RowTrial, operation: Operation): ValidCase[] {
  const { body, parameters } = operation;
  const plain = trial.run.meaning.baseOf(operation);
  return [
    { base: plain, description: 'the plainest request', isNamed: true },
    ...exampleCases(operation),
    ...parameters.flatMap((parameter) =>
      casesAt([parameter.schema], ({ value, why, isNamed }) => {
        const text = writeText(value);
        if (text === undefined || !canCarry(parameter, text)) return undefined;
        const base = withParameter(plain, parameter, text);
        return { base, focus: focusOn(parameter), description: `${parameter.name}: ${why}`, isNamed };
      }),
    ),
    ...(body ? bodyCases(body, plain, trial.isOn('unnamed-members')) : []),
  ];
}

function exampleCases(operation: Operation): ValidCase[] {
  const textOf = (values: RequestValues): string => JSON.stringify(requestFor(operation, values, undefined));
  const plain = textOf(plainRequest(operation));
  return exampleRequests(operation)
    .filter((values) => textOf(values) !== plain)
    .map((base) => ({ base, description: 'an example of the document', isNamed: false }));
}

/** The cases of values at the bounds of schemas, each with what makes it shorter. */
function casesAt(
  schemas: readonly Node[],
  caseOf: (sample: Sample) => ValidCase | undefined,
): readonly ValidCase[] {
  return boundaryValues(schemas).flatMap((sample) => {
    const { series } = sample;
    const made = caseOf(sample);
    if (made === undefined || series === undefined) return made ?? [];
    const at = (length: number): ValidCase => caseOf({ ...sample, ...series.at(length) }) ?? made;
    return { ...made, series: { ...series, at } };
  });
}

/** @param takesOthers whether a rule says that a member which nothing names is taken */
function bodyCases(requestBody: RequestBody, plain: RequestValues, takesOthers: boolean): ValidCase[] {
  const { schema } = requestBody;
  const body = plain.body ?? null;
  const caseOf = (pointer: string, { value, why, isNamed }: Sample): ValidCase | undefined => {
    const focus = { part: 'body', where: pointer } as const;
    return fits([schema], value) && carries(requestBody, value)
      ? { base: { ...plain, body: value }, focus, description: why, isNamed }
      : undefined;
  };
  const atBounds = sitesOf([schema]).flatMap(({ pointer, layers }) =>
    casesAt(layers, (sample) =>
      caseOf(pointer, {
        ...sample,
        value: withPart(body, pointer, sample.value),
        why: `body${pointer}: ${sample.why}`,
        // No document names the bytes of a file.
        isNamed: sample.isNamed && !isFile(layers),
      }),
    ),
  );
  const shapes = optionalMembers(schema, body).flatMap((shape) => caseOf('', shape) ?? []);
  const promised = (takesOthers ? unknownMembers(body) : []).flatMap((shape) => caseOf('', shape) ?? []);
  return [...atBounds, ...shapes, ...promised.map((one) => ({ ...one, isPromised: true }))];
}

/** Members may exclude or need each other. */
function optionalMembers(schema: RequestBody['schema'], body: Value): Sample[] {
  const optional = membersOf(layersOf(schema)).filter(({ required }) => !required);
  const plain = plainMembers(membersOf(layersOf(schema)));
  const all = optional.reduce((whole, { name }) => withPart(whole, `/${name}`, plain[name]), body);
  return [
    { value: all, why: 'every optional member', isNamed: false },
    ...optional.map(({ name }) => ({
      ...{ value: withPart(all, `/${name}`, undefined), why: `without "${name}"`, isNamed: false },
    })),
  ];
}

/** JSON Schema allows members that it does not name, unless it says otherwise. */
function unknownMembers(body: Value): Sample[] {
  if (!isObject(body)) return [];
  const strangers: [string, Value][] = [
    ['unknown', 'text'],
    ['toString', null],
    ['constructor', { prototype: [] }],
    ['', 10n ** 30n],
    ['a/b~c', [[[]]]],
  ];
  return strangers.map(([name, value]) => ({
    value: { ...body, [name]: value },
    why: `a member that nothing names: ${show({ [name]: value })}`,
    isNamed: true,
  }));
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
