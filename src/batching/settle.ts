import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError, type OutcomeUnknownError } from '../database-errors.js';

const limitMs = 5_000;
const pauseMs = 50;

/**
 * Repeats `ask` until the database answers.
 *
 * @throws `unknown` if it does not in time
 */
export async function settle<Result>(
  ask: () => Promise<Result>,
  unknown: OutcomeUnknownError,
): Promise<Result> {
  const deadline = Date.now() + limitMs;
  while (Date.now() < deadline) {
    await pause(pauseMs);
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
    }
  }
  throw unknown;
}
