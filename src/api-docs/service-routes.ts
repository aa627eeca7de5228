import { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Bindings } from '../contract/route.js';
import { routeContract } from '../contract/routes.js';
import { answerOtherOrigins } from '../http/cors.js';
import type { ServerOptions } from '../http/server.js';
import { routeFrontDoor } from './routes.js';

/**
 * Adds the routes that the service and `npm run mock` have in common: the contract's own, and its document.
 *
 * @throws {ContractError} as `routeContract` does
 */
export async function routeService(
  app: FastifyInstance,
  { contract, proxies = new BlockList(), corsOrigins, checkAnswers = false }: ServerOptions,
  bindings: Omit<Bindings, 'checkAnswers'>,
): Promise<void> {
  if (corsOrigins?.size) await answerOtherOrigins(app, contract, corsOrigins);
  await routeContract(app, contract, { ...bindings, checkAnswers });
  routeFrontDoor(app, contract, proxies);
}
