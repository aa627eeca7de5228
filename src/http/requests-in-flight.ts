import type { FastifyInstance } from 'fastify';
import { Places } from '../batching/places.js';

/** Refuses requests of operations beyond `most`. One counts from the check of its token to the end of its answer. */
export function limitRequestsInFlight(app: FastifyInstance, most = Number.POSITIVE_INFINITY): void {
  const places = new Places(
    { all: most },
    { all: 'requests', owner: 'owner requests', what: 'requests are in flight' },
  );
  app.addHook('preParsing', (request, reply, _body, done) => {
    if (request.routeOptions.config.operation !== undefined)
      reply.raw.once('close', places.enter(String(request.caller)));
    done();
  });
}
