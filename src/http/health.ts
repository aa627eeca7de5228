import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../api-docs/routes.js';
import type { Readiness } from '../postgres/readiness.js';

const besideContract = { besideContract: true } as const;
/** The service switches off Fastify's own HEAD routes. */
const methods = ['GET', 'HEAD'];

/** The operator's probes. */
export function routeHealth(app: FastifyInstance, readiness: Pick<Readiness, 'check'>): void {
  const routeCheck = (url: string, handler: () => Promise<{ status: string }>): void => {
    app.route({ method: methods, url, config: besideContract, handler });
    refuseOtherMethods(app, url, methods);
  };
  routeCheck('/live', async () => ({ status: 'live' }));
  routeCheck('/ready', async () => {
    await readiness.check();
    return { status: 'ready' };
  });
}
