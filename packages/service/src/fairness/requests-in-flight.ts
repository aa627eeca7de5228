/**
 * Limits the requests that are in flight, and the bytes of their bodies, so that no owner fills the memory or
 * takes all the service's time.
 *
 * A request is in flight from the check of its token until its answer has gone, or its connection, and its
 * handler has settled: what a client that has left asked for may still wait in a queue. It takes one slot of
 * MAX_REQUESTS_IN_FLIGHT, and as many of 64 MiB as its body may have bytes. An owner gets half of what the
 * others leave free (slots.ts). For example, with bodies of 64 KiB, a lone owner has at most 512 of them in
 * flight.
 *
 * So this limit bounds everything that waits behind it: queues have none of their own.
 */
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { OwnerSlots } from './slots.js';

/** How many bytes of bodies may be in flight. Bodies wait in memory until they are whole. */
const maxBytes = 64 * 2 ** 20;
const reasons = { all: 'requests in flight', owner: 'owner requests in flight' } as const;

/**
 * Makes the limit.
 *
 * @param max how many requests of all owners together may be in flight
 * @returns the hook of operations, after the check of credentials. It throws an OverloadError if there is no
 * slot for the request or its body
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
    requests.forceAcquire(owner);
    bodies.forceAcquire(owner, bytes);
    const release = () => {
      requests.release(owner);
      bodies.release(owner, bytes);
    };
    // Each response closes, also one whose client has left. The body may wait to be read then, or the handler for
    // the database.
    raw.on('close', () => void Promise.resolve(request.handling).then(release, release));
    done();
  };
}

/**
 * @returns the slots of a body: as many as it may have, because the length of a chunked body is not known
 * yet. If the contract allows more than there are, one body takes all.
 */
function bodyBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return Math.min(isChunked ? bodyLimit : Number(headers['content-length'] ?? 0), bodyLimit, maxBytes);
}
