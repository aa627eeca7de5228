import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { tokenLike } from './token-like.js';

/** Unique across replicas and restarts. */
export const makeRequestId = (() => {
  const prefix = randomBytes(6).toString('base64url');
  let requests = 0;
  return () => `${prefix}-${++requests}`;
})();

/** As the contract says of the header. Anything else could be long, or fake members of a log line. */
const callersIdForm = /^[\w.:/+=@-]{1,100}$/;

/** The caller's `X-Request-Id`, if it may be logged. */
export function callersId({ 'x-request-id': id }: IncomingHttpHeaders): string | undefined {
  return typeof id === 'string' && callersIdForm.test(id) && id.search(tokenLike) < 0 ? id : undefined;
}

/** For the answer. Both ids are in the log. */
export function requestIdOf({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): string {
  return callersId(headers) ?? id;
}
