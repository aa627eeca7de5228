import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { MethodNotAllowedError } from '../contract/request/request-errors.js';

/** Fastify's own HEAD routes are off. */
const reading = ['GET', 'HEAD'];

/** Other methods that Fastify knows are a 405 (RFC 9110, section 15.5.6). */
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
