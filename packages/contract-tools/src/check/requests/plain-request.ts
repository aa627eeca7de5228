/** Makes the simplest valid request of an operation, and requests with the document's examples. */

import { examplesOf, type Operation, type Parameter } from '../../document/operations.js';
import { fromYaml, type Value } from '../../values/json.js';
import { exampleValue, fits, plainValue } from '../../values/valid-values.js';
import { canCarry, plainText } from '../values/carried-texts.js';
import { joined, type Text, writeText } from '../values/parameter-text.js';
import type { Focus, RequestValues } from './request-values.js';

export const noParameters: RequestValues = { path: {}, query: {}, headers: {}, cookies: {}, body: undefined };
/** The parts of a request, by the `in` of a parameter. */
const parts = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

/** Most requests are made from the plainest one, which always is the same. */
const plainRequests = new WeakMap<Operation, RequestValues>();

/**
 * Returns the simplest valid request of an operation: it has only what is required. It is the same each time.
 *
 * @throws {NoValueError} for an operation that `withoutUnwritable` would leave out
 */
export function plainRequest(operation: Operation): RequestValues {
  const { parameters, body } = operation;
  const plain =
    plainRequests.get(operation) ?? withRequired(parameters, body && plainValue([body.schema]), usualText);
  plainRequests.set(operation, plain);
  return plain;
}

/**
 * Makes requests from the document's examples: one for each example of the whole body, and one whose members
 * have their examples.
 *
 * @throws {NoValueError} for an operation that `withoutUnwritable` would leave out
 */
export function exampleRequests({ parameters, body }: Operation): RequestValues[] {
  if (body === undefined) return [withRequired(parameters, undefined, exampleText)];
  // Examples of files are names of files, or texts that stand for them.
  const media = body.parts === undefined ? body.node.list('content') : [];
  const whole = media.flatMap(examplesOf).map(({ value }) => fromYaml(value));
  const bodies = [...whole.filter((example) => fits([body.schema], example)), exampleValue([body.schema])];
  return bodies.map((example) => withRequired(parameters, example, exampleText));
}

function withRequired(
  parameters: readonly Parameter[],
  body: Value | undefined,
  textOf: (parameter: Parameter) => Text,
): RequestValues {
  return parameters
    .filter(({ required }) => required)
    .reduce((all, parameter) => withParameter(all, parameter, textOf(parameter)), {
      ...noParameters,
      body,
    });
}

/** A value outside the path may have to be the name of something that is there, which only an example tells. */
function usualText(parameter: Parameter): Text {
  return parameter.in === 'path' ? plainText(parameter) : exampleText(parameter);
}

function exampleText(parameter: Parameter): Text {
  const { examples, schema } = parameter;
  const texts = examples
    .map(({ value }) => fromYaml(value))
    .filter((example) => fits([schema], example))
    .flatMap((example) => writeText(example) ?? []);
  return texts.find((text) => canCarry(parameter, text)) ?? plainText(parameter);
}

/** Returns the request with another text for a parameter. */
export function withParameter(
  values: RequestValues,
  { in: place, name }: Parameter,
  text: Text,
): RequestValues {
  const part = parts[place];
  return { ...values, [part]: { ...values[part], [name]: part === 'query' ? text : joined(text) } };
}

export function withoutParameter(values: RequestValues, parameter: Parameter): RequestValues {
  const part = parts[parameter.in];
  const others = Object.entries(values[part]).filter(([name]) => name !== parameter.name);
  return { ...values, [part]: Object.fromEntries(others) };
}

export function focusOn({ in: place, name }: Parameter): Focus {
  return { part: place, where: name };
}

export function parameterOf(values: RequestValues, { in: place, name }: Parameter): Text | undefined {
  return values[parts[place]][name];
}
