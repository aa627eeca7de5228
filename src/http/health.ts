import type { FastifyInstance } from 'fastify';
import type { Database } from '../postgres/database.js';
import { routeBesideContract } from './beside-contract.js';
import { EndingError } from './drain.js';

/** The operator's probes. After `ending`, load balancers should choose another server. */
export function routeHealth(app: FastifyInstance, database: Database, ending?: AbortSignal): void {
  routeBesideContract(app, '/live', async () => ({ status: 'live' }));
  routeBesideContract(app, '/ready', async () => {
    if (ending?.aborted) throw new EndingError('the service is ending');
    await database.ping();
    return { status: 'ready' };
  });
}
