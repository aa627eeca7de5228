import { copyFile, stat, truncate } from 'node:fs/promises';

const maxBytes = 8 * 2 ** 20;
const intervalMs = 10_000;

/**
 * Keeps one older copy. Empties the log, because PostgreSQL keeps it open (logrotate's `copytruncate`).
 *
 * @returns a function that ends it
 */
export function boundLog(file: string, limits = { maxBytes, intervalMs }): () => Promise<void> {
  let round = Promise.resolve();
  const timer = setInterval(() => {
    // The next round tries again.
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
  // On a full disk, room matters more.
  await copyFile(file, `${file}.1`).catch(() => {});
  await truncate(file);
}
