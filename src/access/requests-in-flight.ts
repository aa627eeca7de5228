import type { onRequestHookHandler } from 'fastify';
import { OwnerPlaces } from './owner-places.js';

/**
 * A request counts until its answer has gone, or its connection. What it asked for may still be carried out then.
 *
 * @returns the hook of operations, after the check of credentials
 */
export function limitRequestsInFlight(most: number): onRequestHookHandler {
  const places = new OwnerPlaces(
    { all: most },
    { all: 'requests in flight', owner: 'owner requests in flight', what: 'requests are in flight' },
  );
  return (request, reply, done) => {
    // The client has left while its token was looked up: there is nobody to answer, and `close` will not come.
    if (reply.raw.destroyed) {
      reply.hijack();
      return;
    }
    reply.raw.once('close', places.enter(String(request.caller)));
    done();
  };
}
