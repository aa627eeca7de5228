/** The port for operators, which needs no token: probes that say why, and metrics. */
import { type FastifyInstance, fastify } from 'fastify';
import { reasonOf } from '../errors/reason.js';
import { type Observed, startMetrics } from './metrics.js';

/** Makes the app of that port. It does not listen yet. */
export function makeAdmin(observed: Observed): FastifyInstance {
  const registry = startMetrics(observed);
  // Prometheus keeps its connection open, and the end of the service must not wait for it.
  const app = fastify({ forceCloseConnections: true });
  app.get('/live', async () => ({ status: 'live' }));
  app.get('/ready', async (_request, reply) =>
    observed
      .checkReady()
      .catch((error) => reply.code(503).send({ status: 'not ready', reason: reasonOf(error) })),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  return app;
}
