/** Makes every method that the contract does not have at a path a 405. */
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import type { Operation } from '../document/operations.js';
import { MethodNotAllowedError } from './request-errors.js';

/**
 * @returns the operations of each path. Paths that differ in the names of their parameters only are one path:
 * `/plants/{id}` and `/plants/{name}`
 */
export function operationsByPath(operations: readonly Operation[]): Operation[][] {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{\w+\}/g, '{}');
    paths.set(path, [...(paths.get(path) ?? []), operation]);
  }
  return [...paths.values()];
}

/**
 * Adds a route for every method that a path does not have. That route refuses the request with a
 * MethodNotAllowedError, which becomes a 405, before a body is read (RFC 9110, section 15.5.6).
 *
 * @param methods those that the path has
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  url: string,
  methods: readonly string[],
  config: FastifyContextConfig,
): void {
  const refuse = async (): Promise<never> => {
    throw new MethodNotAllowedError(methods);
  };
  const others = app.supportedMethods.filter((method) => !methods.includes(method));
  // Fastify asks for a handler, too. It would add a HEAD to a GET, and HEAD is one of the others.
  app.route({ method: others, url, config, exposeHeadRoute: false, onRequest: refuse, handler: refuse });
}
