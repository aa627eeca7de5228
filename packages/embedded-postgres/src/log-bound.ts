import { copyFile, stat, truncate } from 'node:fs/promises';

const maxBytes = 8 * 2 ** 20;
const intervalMs = 10_000;

/**
 * Keeps PostgreSQL's log below a size. Every ten seconds, a log that has become too large is copied to `….1`,
 * and emptied. It is not renamed, because PostgreSQL keeps it open (as with logrotate's `copytruncate`).
 *
 * @param limits how many bytes the log may have, and how often that is looked at
 * @returns a function that stops this, and waits for the copy in flight
 */
export function boundLog(file: string, limits = { maxBytes, intervalMs }): () => Promise<void> {
  let round = Promise.resolve();
  const timer = setInterval(() => {
    // If a round fails, the next one tries again.
    round = round.then(() => emptyIfLarge(file, limits.maxBytes)).catch(() => {});
  }, limits.intervalMs).unref();
  return async () => {
    clearInterval(timer);
    await round;
  };
}

async function emptyIfLarge(file: string, maxBytes: number): Promise<void> {
  const { size } = await stat(file);
  if (size <= maxBytes) return;
  // If there is no room for a copy, the log is emptied all the same.
  await copyFile(file, `${file}.1`).catch(() => {});
  await truncate(file);
}
