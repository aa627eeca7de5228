/**
 * The ids of requests. Each request gets one of the service's own, and a client can send another one in
 * `X-Request-Id`. The answer repeats one of them, and the log has both, so that a client and an operator can
 * talk about the same request.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/**
 * The beginning of each of the service's own tokens. The log does not know how tokens are made
 * (access/token.ts), but an id must not be one.
 */
export const tokenPrefix = 'plant_';

/** Makes the service's own id of a request, which is unique across replicas and restarts. */
export const makeRequestId = (() => {
  const prefix = randomBytes(6).toString('base64url');
  let requests = 0;
  return () => `${prefix}-${++requests}`;
})();

/**
 * The form that the contract gives the header. Another text could be long, or look like members of a log
 * line.
 */
const callersIdForm = /^[\w.:/+=@-]{1,100}$/;

/** @returns the caller's `X-Request-Id`; undefined if there is none, or if it must not be logged */
export function callersId({ 'x-request-id': id }: IncomingHttpHeaders): string | undefined {
  return typeof id === 'string' && callersIdForm.test(id) && !id.includes(tokenPrefix) ? id : undefined;
}

/** @returns the id that the answer repeats: the caller's, or else the service's own. The log has both. */
export function requestIdOf({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): string {
  return callersId(headers) ?? id;
}
