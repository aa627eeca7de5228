/**
 * Plays another owner, who creates one plant after the other while an attack is carried out. Its waits
 * include those for the attackers' own work, which is done in the same thread.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../../../../kit/index.js';
import { create, urlOf } from './request.js';
import { codeOrMessage } from './words.js';

export interface Creates {
  /** The number of creates that were answered, without the first one. */
  readonly answered: number;
  /** Their statuses, or why there is none; the first create counts, too. */
  readonly failed: readonly string[];
  readonly longestMs: number;
}

const betweenMs = 10;

/**
 * Begins to create, and resolves after the first create.
 *
 * @returns a function that stops, and returns what came of the creates
 */
export async function beginToCreate(port: number, token: string): Promise<() => Promise<Creates>> {
  const client = new Client(urlOf(port));
  const statusOf = (id: number) =>
    client.ask(create(id, token)).then(({ status }) => String(status), codeOrMessage);
  const first = await statusOf(0);
  const failed = first === '200' ? [] : [first];
  let [answered, longestMs, isOver] = [0, 0, false];
  const work = async (): Promise<void> => {
    for (let id = 1; !isOver; id++) {
      const begin = performance.now();
      const status = await statusOf(id);
      if (status === '200') answered++;
      else failed.push(status);
      longestMs = Math.max(longestMs, performance.now() - begin);
      await pause(betweenMs);
    }
  };
  const working = work();
  return async () => {
    isOver = true;
    await working;
    client.close();
    return { answered, failed, longestMs };
  };
}
