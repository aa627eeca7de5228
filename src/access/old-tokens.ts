import type { Log } from '../log.js';
import type { TokenStore } from './token-store.js';

/** Milliseconds between two rounds. Tokens are few, and nobody waits for one to be removed. */
const hour = 60 * 60 * 1000;

/**
 * Removes tokens that ended long ago, now and every hour. Each replica does it; they do not wait for each other.
 *
 * @param pause milliseconds between two rounds
 * @returns what ends it, once the round that is under way has ended
 */
export function removeOldTokens(
  tokens: Pick<TokenStore, 'removeOld'>,
  log: Pick<Log, 'info' | 'warn'>,
  pause = hour,
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
  }, pause).unref();
  return async () => {
    ending = true;
    clearInterval(timer);
    await rounds;
  };
}
