import type { FastifyInstance } from 'fastify';
import type { Database } from './postgres/database.js';

/**
 * For whoever runs the service, and so outside the contract: is the process alive, can it answer requests.
 * One that ends does not listen any more, which says enough.
 */
export function routeHealth(app: FastifyInstance, database: Database): void {
  app.get('/live', { config: { besideContract: true } }, async () => ({ status: 'live' }));
  app.get('/ready', { config: { besideContract: true } }, async () => {
    await database.query({ text: 'SELECT 1' });
    return { status: 'ready' };
  });
}
