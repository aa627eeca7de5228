/** Waits for a server that was started a moment ago, such as one of a pipeline. */
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../base/http/connection.js';
import { CannotCheckError } from './document/cannot-check.js';

const betweenTriesMs = 100;
/** What a proxy answers whose server does not accept connections yet. */
const notYet = [502, 503, 504];

/**
 * Asks the server again and again until it answers, whatever that is. A server that only answers that it cannot be
 * reached behind its proxy gets all the time, and is then checked as it is.
 *
 * @param maxMs 0 asks nothing
 * @throws {CannotCheckError} if there is no answer within the time
 */
export async function waitFor(url: URL, maxMs: number, signal: AbortSignal): Promise<void> {
  if (maxMs === 0) return;
  const end = performance.now() + maxMs;
  let last: number | string = '';
  do {
    last = await statusOf(url, Math.max(1_000, end - performance.now()));
    if (signal.aborted || (typeof last === 'number' && !notYet.includes(last))) return;
    await pause(betweenTriesMs);
  } while (performance.now() < end);
  if (typeof last === 'number') return;
  throw new CannotCheckError(
    `Nobody has answered at ${url.href} within ${maxMs / 1_000} s (${last}): look whether the server has started, or give it more time with --wait-for.`,
  );
}

/** @returns the status of the answer, or why there is none */
async function statusOf(url: URL, maxMs: number): Promise<number | string> {
  try {
    const connection = await Connection.open(url, maxMs);
    try {
      const { status } = await connection.exchange({ method: 'GET', target: '/', headers: [] }, url);
      return status;
    } finally {
      connection.close();
    }
  } catch (error) {
    // Both reject with Errors only: nobody accepts the connection, or no HTTP comes.
    return (error as Error).message;
  }
}
