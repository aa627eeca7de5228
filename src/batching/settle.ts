import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError, type OutcomeUnknownError } from '../errors/database.js';

const limitMs = 5_000;
const pauseMs = 50;

/**
 * Repeats `ask` until the database answers.
 *
 * @throws `unknown` if it does not in time, also if an `ask` does not end
 */
export function settle<Result>(ask: () => Promise<Result>, unknown: OutcomeUnknownError): Promise<Result> {
  let isLate = false;
  const repeat = async (): Promise<Result> => {
    while (!isLate) {
      await pause(pauseMs);
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) throw error;
      }
    }
    throw unknown;
  };
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      isLate = true;
      reject(unknown);
    }, limitMs);
    void repeat()
      .then(resolve, reject)
      .finally(() => clearTimeout(late));
  });
}
