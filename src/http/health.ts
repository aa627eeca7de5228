import type { FastifyInstance } from 'fastify';
import type { Database } from '../postgres/database.js';
import { routeBesideContract } from './beside-contract.js';

/** The operator's probes. */
export function routeHealth(app: FastifyInstance, database: Database): void {
  routeBesideContract(app, '/live', async () => ({ status: 'live' }));
  routeBesideContract(app, '/ready', async () => {
    await database.ping();
    return { status: 'ready' };
  });
}
