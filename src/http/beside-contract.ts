import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { MethodNotAllowedError } from '../contract/request/request-errors.js';

/** HEAD is named because server.ts turns off the HEAD routes that Fastify would add. */
const reading = ['GET', 'HEAD'];

/**
 * Adds a route that is not in the contract, such as `/live`. It answers GET and HEAD, and refuses every other
 * method that Fastify knows with a 405 (RFC 9110, section 15.5.6).
 */
export function routeBesideContract(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  const config = { besideContract: true } as const;
  const refuse = async (): Promise<never> => {
    throw new MethodNotAllowedError(reading);
  };
  // A contract may have this path itself, and routes every method of it.
  if (app.hasRoute({ method: 'GET', url })) return;
  const others = app.supportedMethods.filter((method) => !reading.includes(method));
  app.route({ method: reading, url, config, handler });
  app.route({ method: others, url, config, onRequest: refuse, handler: refuse });
}
