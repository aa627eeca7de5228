/**
 * Finds out what became of an item whose outcome is unknown.
 *
 * If a connection breaks after a create was sent, the create may be committed or not, and the client would
 * get a 503 that says so. But the database may run on, or be back within seconds, and then the service can
 * look whether the item is there. So `settle` asks again and again, with pauses of 50 ms, for as long as the
 * request has time. A create that was given up because no answer came has none left.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { OutcomeUnknownError } from '../errors/database.js';
import { millisecondsUntil } from '../errors/late.js';
import { ServiceUnavailableError } from '../errors/unavailable.js';

const pauseMs = 50;

/**
 * Repeats `ask` until the database answers.
 *
 * @param unknown the error that has left the outcome unknown
 * @param deadline until when to ask, in milliseconds of performance.now()
 * @returns what `ask` has returned
 * @throws {OutcomeUnknownError} `unknown` itself, if the database does not answer in time, also if an `ask`
 * does not end
 * @throws {Error} what `ask` throws, unless it is a ServiceUnavailableError
 */
export function settle<Result>(
  ask: () => Promise<Result>,
  unknown: OutcomeUnknownError,
  deadline: number,
): Promise<Result> {
  let isLate = false;
  const repeat = async (): Promise<Result> => {
    while (!isLate) {
      await pause(pauseMs);
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ServiceUnavailableError)) throw error;
      }
    }
    throw unknown;
  };
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      isLate = true;
      reject(unknown);
    }, millisecondsUntil(deadline));
    void repeat()
      .then(resolve, reject)
      .finally(() => clearTimeout(late));
  });
}
