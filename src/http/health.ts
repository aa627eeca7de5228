import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../api-docs/routes.js';
import type { Database } from '../postgres/database.js';
import { EndingError } from './drain.js';

const besideContract = { besideContract: true } as const;
/** The service switches off Fastify's own HEAD routes. */
const methods = ['GET', 'HEAD'];

/** The operator's probes. After `ending`, load balancers should choose another server. */
export function routeHealth(app: FastifyInstance, database: Database, ending?: AbortSignal): void {
  const routeCheck = (url: string, handler: () => Promise<{ status: string }>): void => {
    app.route({ method: methods, url, config: besideContract, handler });
    refuseOtherMethods(app, url, methods);
  };
  routeCheck('/live', async () => ({ status: 'live' }));
  routeCheck('/ready', async () => {
    if (ending?.aborted) throw new EndingError('the service is ending');
    await database.ping();
    return { status: 'ready' };
  });
}
