import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { OwnerPlaces } from './places.js';

/** Of their bodies, which wait in memory until they are whole. */
const mostBytes = 64 * 2 ** 20;
const reasons = { all: 'requests in flight', owner: 'owner requests in flight' } as const;

/**
 * A request counts until its answer has gone, or its connection. What it asked for may still be carried out then.
 *
 * @returns the hook of operations, after the check of credentials
 */
export function limitRequestsInFlight(most: number): onRequestHookHandler {
  const requests = new OwnerPlaces({ all: most }, { ...reasons, what: 'requests are in flight' });
  const bodies = new OwnerPlaces({ all: mostBytes }, { ...reasons, what: 'bytes of bodies are in flight' });
  return (request, reply, done) => {
    const { raw } = reply;
    // The client has left while its token was looked up: there is nobody to answer, and `close` will not come.
    if (raw.destroyed) {
      reply.hijack();
      return;
    }
    const owner = String(request.caller);
    raw.once('close', requests.enter(owner));
    const bytes = bodyBytes(request);
    if (bytes > 0) raw.once('close', bodies.enter(owner, bytes));
    done();
  };
}

/** At most: the length of a chunked body is not known yet. If the contract allows more than all, one takes all. */
function bodyBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return Math.min(isChunked ? bodyLimit : Number(headers['content-length'] ?? 0), bodyLimit, mostBytes);
}
