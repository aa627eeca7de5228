import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from './front-door/routes.js';
import type { Database } from './postgres/database.js';

const besideContract = { besideContract: true } as const;
/** HEAD is named because the service makes none by itself; Fastify leaves the body out. */
const methods = ['GET', 'HEAD'];

/**
 * For whoever runs the service, and so outside the contract: is the process alive, can it answer requests.
 * One that ends does not listen any more, which says enough.
 */
export function routeHealth(app: FastifyInstance, database: Database): void {
  const routeCheck = (url: string, handler: () => Promise<{ status: string }>): void => {
    app.route({ method: methods, url, config: besideContract, handler });
    refuseOtherMethods(app, url, methods);
  };
  routeCheck('/live', async () => ({ status: 'live' }));
  routeCheck('/ready', async () => {
    await database.query({ text: 'SELECT 1', reads: true });
    return { status: 'ready' };
  });
}
