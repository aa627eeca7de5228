/**
 * The probes of load balancers and of whoever restarts the service. `/live` answers as long as the process
 * does. `/ready` also asks the database, and says 503 during the drain.
 */
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { routeBesideContract } from './beside-contract.js';

interface Readiness {
  /** @throws {Error} whose message says why the service cannot answer requests */
  check(): Promise<void>;
}

/** The service is draining, so the answer is a 503 that sends the client to another one. */
export class EndingError extends Error {
  override readonly name = 'EndingError';
}

/**
 * Answers what `/ready` asks. A service that is draining is not ready, so that load balancers choose another
 * one.
 *
 * @throws {EndingError} if the service is draining
 * @throws {Error} whose message says why it is not ready
 */
export async function checkReady(
  readiness: Readiness,
  ending: AbortSignal | undefined,
): Promise<{ readonly status: 'ready' }> {
  if (ending?.aborted) throw new EndingError('the service is ending');
  await readiness.check();
  return { status: 'ready' };
}

interface HealthOptions {
  readonly readiness: Readiness;
  /** Aborted when the drain begins. */
  readonly ending?: AbortSignal | undefined;
}

/** Adds `/live` and `/ready`. */
export const health = plugin(
  async (app: FastifyInstance, { readiness, ending }: HealthOptions) => {
    routeBesideContract(app, '/live', async () => ({ status: 'live' }));
    routeBesideContract(app, '/ready', () => checkReady(readiness, ending));
  },
  { name: 'health' },
);
