import type { FastifyInstance } from 'fastify';
import { routeBesideContract } from './beside-contract.js';

interface Readiness {
  /** @throws why the service cannot answer requests */
  check(): Promise<void>;
}

export class EndingError extends Error {
  override readonly name = 'EndingError';
}

/**
 * After `ending`, load balancers should choose another server.
 *
 * @throws {EndingError | Error} why the service is not ready
 */
export async function checkReady(
  readiness: Readiness,
  ending: AbortSignal | undefined,
): Promise<{ readonly status: 'ready' }> {
  if (ending?.aborted) throw new EndingError('the service is ending');
  await readiness.check();
  return { status: 'ready' };
}

export function routeHealth(app: FastifyInstance, readiness: Readiness, ending?: AbortSignal): void {
  routeBesideContract(app, '/live', async () => ({ status: 'live' }));
  routeBesideContract(app, '/ready', () => checkReady(readiness, ending));
}
