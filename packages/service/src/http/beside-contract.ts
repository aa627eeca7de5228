import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { refuseOtherMethods } from '../contract/request/paths.js';

/** HEAD is named because server.ts turns off the HEAD routes that Fastify would add. */
const reading = ['GET', 'HEAD'];

/**
 * Adds a route that is not in the contract, such as `/live`. It answers GET and HEAD, and refuses every other
 * method.
 */
export function routeBesideContract(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  const config = { besideContract: true } as const;
  // A contract may have this path itself, and routes every method of it.
  if (app.hasRoute({ method: 'GET', url })) return;
  app.route({ method: reading, url, config, handler });
  refuseOtherMethods(app, url, reading, config);
}
