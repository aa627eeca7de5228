/**
 * Keeps the table of tokens small. A service whose callers get a new token each hour would otherwise keep all
 * of them for ever. Those that have ended stay listed for 30 days.
 */
import type { Log } from '../log/log.js';
import type { TokenStore } from './token-store.js';

const hourMs = 60 * 60 * 1000;

/**
 * Removes tokens that ended 30 days ago or before, now and every hour, in statements of limited size. A
 * failure is logged, and the next round tries again.
 *
 * @returns a function that stops the removal, and waits for the statement in flight
 */
export function removeOldTokens(
  tokens: Pick<TokenStore, 'removeOld'>,
  log: Pick<Log, 'info' | 'warn'>,
  intervalMs = hourMs,
): () => Promise<void> {
  let ending = false;
  const round = async (): Promise<void> => {
    try {
      let removed = 0;
      for (let some = await tokens.removeOld(); some > 0; some = ending ? 0 : await tokens.removeOld())
        removed += some;
      if (removed > 0) log.info({ removed }, 'removed old tokens');
    } catch (error) {
      log.warn({ err: error }, 'could not remove old tokens, and will try again');
    }
  };
  let rounds = round();
  const timer = setInterval(() => {
    rounds = rounds.then(round);
  }, intervalMs).unref();
  return async () => {
    ending = true;
    clearInterval(timer);
    await rounds;
  };
}
