import { setTimeout as pause } from 'node:timers/promises';
import { isUnavailable } from '../postgres/sqlstate.js';
import type { SettingsError } from '../settings.js';
import { tryDatabase } from './try-database.js';

/** Milliseconds. */
const pauses = { first: 100, longest: 2_000 };

/**
 * Retries while the database cannot be reached, and says so once.
 *
 * @throws {SettingsError} if it cannot connect
 * @throws an AbortError if `ending` is aborted
 */
export async function waitForDatabase(url: string, waitMs: number, ending: AbortSignal): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let pauseMs = pauses.first; ; pauseMs = Math.min(2 * pauseMs, pauses.longest)) {
    const error = await tryDatabase(url).then(
      () => undefined,
      (error: SettingsError) => error,
    );
    if (error === undefined) return;
    const left = deadline - performance.now();
    if (!isUnavailable(error.cause) || left <= 0) throw error;
    if (pauseMs === pauses.first) console.error(`${error.message} Trying again for ${waitMs / 1_000} s.`);
    await pause(Math.min(pauseMs, left), undefined, { signal: ending });
  }
}
