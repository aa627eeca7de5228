/**
 * Knows the conditions of requests (RFC 9110, section 13). An operation that takes `If-Match` changes an item only
 * if the item still has that tag, so a request with any other text there tells nothing of the operation. The
 * checker reads the item first, and sends what a careful client would send: its `ETag` as `If-Match`, and its
 * `Last-Modified` as `If-Unmodified-Since`. That costs one more request for each of these requests.
 */

import { headerValues } from '../../base/http/answer.js';
import type { Operation, Parameter } from '../../document/operations.js';
import { type Reply, Silence } from '../requests/reply.js';

/** The header of an answer that a condition is made of. */
const validators = { 'if-match': 'etag', 'if-unmodified-since': 'last-modified' } as const;

type Condition = keyof typeof validators;

/** The conditions that an operation takes, under which it does something. */
export function conditionsOf({ parameters }: Operation): { parameter: Parameter; condition: Condition }[] {
  return parameters.flatMap((parameter) => {
    const name = parameter.name.toLowerCase();
    return parameter.in === 'header' && isCondition(name) ? [{ parameter, condition: name }] : [];
  });
}

export function isCondition(name: string): name is Condition {
  return Object.hasOwn(validators, name);
}

/** The parameter by which a client says which representation it has already: `If-None-Match`. */
export function cachedTagOf({ parameters }: Operation): Parameter | undefined {
  return parameters.find(({ in: place, name }) => place === 'header' && /^if-none-match$/i.test(name));
}

/**
 * Writes the headers of a request that holds for an item as an answer showed it.
 *
 * @returns the headers by the names that the document gives them; none if the answer has no validator
 */
export function conditionHeaders(operation: Operation, shown: Reply): Record<string, string> {
  const headers = conditionsOf(operation).flatMap(({ parameter, condition }) => {
    const validator = headerOf(shown, validators[condition]);
    return validator === undefined ? [] : [[parameter.name, validator] as const];
  });
  return Object.fromEntries(headers);
}

/** The entity tag in an answer (RFC 9110, section 8.8.3). */
export function tagOf(answer: Reply): string | undefined {
  return headerOf(answer, 'etag');
}

function headerOf(answer: Reply, name: string): string | undefined {
  return answer instanceof Silence ? undefined : headerValues(answer, name)[0];
}
