import type { FastifyInstance } from 'fastify';
import type { Database } from './postgres/database.js';

/** For whoever runs the service, and so outside the contract: is the process alive, can it answer requests. */
export function routeHealth(app: FastifyInstance, database: Database): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.get('/live', async () => ({ status: 'live' }));
  app.get('/ready', async (_request, reply) => {
    if (closing) return reply.code(503).send({ status: 'closing' });
    await database.query({ text: 'SELECT 1' });
    return { status: 'ready' };
  });
}
