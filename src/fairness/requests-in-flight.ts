import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { OwnerSlots } from './slots.js';

/** Bodies wait in memory until they are whole. */
const maxBytes = 64 * 2 ** 20;
const reasons = { all: 'requests in flight', owner: 'owner requests in flight' } as const;

/**
 * A request counts until its answer has gone, or its connection. What it asked for may still be carried out
 * then.
 *
 * @returns the hook of operations, after the check of credentials
 */
export function limitRequestsInFlight(max: number): onRequestHookHandler {
  const requests = new OwnerSlots({ all: max }, { ...reasons, what: 'requests in flight' });
  const bodies = new OwnerSlots({ all: maxBytes }, { ...reasons, what: 'bytes of bodies in flight' });
  return (request, reply, done) => {
    const { raw } = reply;
    // The client has left while its token was looked up: there is nobody to answer, and `close` will not
    // come.
    if (raw.destroyed) {
      reply.hijack();
      return;
    }
    const owner = String(request.caller);
    const bytes = bodyBytes(request);
    requests.check(owner);
    if (bytes > 0) bodies.check(owner, bytes);
    requests.take(owner);
    bodies.take(owner, bytes);
    raw.once('close', () => {
      requests.release(owner);
      bodies.release(owner, bytes);
    });
    done();
  };
}

/**
 * The slots of a body: as many as it may have, because the length of a chunked body is not known yet. If the
 * contract allows more than there are, one body takes all.
 */
function bodyBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return Math.min(isChunked ? bodyLimit : Number(headers['content-length'] ?? 0), bodyLimit, maxBytes);
}
