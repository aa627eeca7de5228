import type { Operation, Parameter } from './description.js';
import type { Focus, Prepared, Purpose } from './meaning.js';
import type { RequestValues } from './request.js';
import type { Run } from './run.js';
import { writeText } from './text-values.js';
import { plainValue } from './valid-values.js';

/** The simplest valid request of an operation: what is required, and no more. */
export function plainRequest({ parameters, body }: Operation): RequestValues {
  const texts = (place: string): Record<string, string> =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.required)
        .map((parameter) => [parameter.name, plainText(parameter)]),
    );
  return {
    path: texts('path'),
    query: texts('query'),
    headers: texts('header'),
    body: body === undefined ? undefined : plainValue([body.schema]),
  };
}

export function plainText({ schema }: Parameter): string {
  return writeText(plainValue([schema])) ?? '';
}

/** The simplest request that touches nothing of anybody else. */
export function preparePlain(
  run: Run,
  operation: Operation,
  purpose: Purpose,
  focus?: Focus,
): Promise<Prepared | undefined> {
  return run.meaning.prepare(operation, plainRequest(operation), purpose, focus);
}

/** The part of the request that a parameter belongs to, with another text in it. */
export function withParameter(
  values: RequestValues,
  { in: place, name }: Parameter,
  text: string,
): RequestValues {
  switch (place) {
    case 'path':
      return { ...values, path: { ...values.path, [name]: text } };
    case 'query':
      return { ...values, query: { ...values.query, [name]: text } };
    default:
      return { ...values, headers: { ...values.headers, [name]: text } };
  }
}

export function focusOn({ in: place, name }: Parameter): Focus {
  return { part: place === 'path' || place === 'query' ? place : 'header', where: name };
}

export function parameterOf(values: RequestValues, { in: place, name }: Parameter): string | undefined {
  const part = place === 'path' ? values.path : place === 'query' ? values.query : values.headers;
  return part[name];
}
