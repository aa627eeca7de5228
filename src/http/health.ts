import type { FastifyInstance } from 'fastify';
import type { Readiness } from '../postgres/readiness.js';
import { routeBesideContract } from './beside-contract.js';
import { EndingError } from './drain.js';

/** After `ending`, load balancers should choose another server. */
export function routeHealth(
  app: FastifyInstance,
  readiness: Pick<Readiness, 'check'>,
  ending?: AbortSignal,
): void {
  routeBesideContract(app, '/live', async () => ({ status: 'live' }));
  routeBesideContract(app, '/ready', async () => {
    if (ending?.aborted) throw new EndingError('the service is ending');
    await readiness.check();
    return { status: 'ready' };
  });
}
