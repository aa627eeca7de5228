/**
 * Waits for a database that is still starting. If a machine or a group of containers starts, the service is
 * often ready before its PostgreSQL.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isLoginRefused, isUnavailable } from '../postgres/sqlstate.js';
import type { SettingsError } from '../settings.js';
import { tryDatabase } from './try-database.js';

/** Each pause is twice as long as the one before it, up to the maximum. */
const firstPauseMs = 100;
const maxPauseMs = 2_000;

/**
 * Tries to connect until the database can be reached, and says once on stderr that it waits.
 *
 * @param ending ends the wait between two tries
 * @throws {SettingsError} if the database refuses the connection, or cannot be reached within `waitMs`
 * @throws {Error} called AbortError, if `ending` is aborted while it waits
 */
export async function waitForDatabase(url: string, waitMs: number, ending: AbortSignal): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const error = await tryDatabase(url).then(
      () => undefined,
      (error: SettingsError) => error,
    );
    if (error === undefined) return;
    const leftMs = deadline - performance.now();
    const canSucceed = isUnavailable(error.cause) && !isLoginRefused(error.cause);
    if (!canSucceed || leftMs <= 0) throw error;
    if (pauseMs === firstPauseMs) console.error(`${error.message} Trying again for ${waitMs / 1_000} s.`);
    await pause(Math.min(pauseMs, leftMs), undefined, { signal: ending });
  }
}
