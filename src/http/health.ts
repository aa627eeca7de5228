import type { FastifyInstance } from 'fastify';
import type { Readiness } from '../postgres/readiness.js';
import { routeBesideContract } from './beside-contract.js';

export class EndingError extends Error {
  override readonly name = 'EndingError';
}

/**
 * After `ending`, load balancers should choose another server.
 *
 * @throws {EndingError | Error} why the service is not ready
 */
export async function checkReady(
  readiness: Pick<Readiness, 'check'>,
  ending: AbortSignal | undefined,
): Promise<{ readonly status: 'ready' }> {
  if (ending?.aborted) throw new EndingError('the service is ending');
  await readiness.check();
  return { status: 'ready' };
}

export function routeHealth(
  app: FastifyInstance,
  readiness: Pick<Readiness, 'check'>,
  ending?: AbortSignal,
): void {
  routeBesideContract(app, '/live', async () => ({ status: 'live' }));
  routeBesideContract(app, '/ready', () => checkReady(readiness, ending));
}
