import type { EmbeddedPostgres } from '../../../embedded-postgres/src/embedded.js';
import { readDatabaseSetting } from '../settings.js';
import { tryDatabase } from '../start/try-database.js';

/**
 * Gives a command its database: that of DATABASE_URL, or the embedded one, which may be running already.
 *
 * @returns its URL, and a function that gives it back, which must be called
 * @throws {SettingsError} if DATABASE_URL or DATA_DIR is wrong, or the database cannot be reached
 * @throws {EmbeddedPostgresError} if the embedded one cannot be started
 */
export async function borrowPostgres(): Promise<EmbeddedPostgres> {
  const setting = readDatabaseSetting();
  if (setting.kind === 'embedded') {
    // Signals are ignored, because a command is short, and a Ctrl-C in its middle would leave PostgreSQL
    // running.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
    const { borrowEmbedded } = await import('../../../embedded-postgres/src/embedded.js');
    return borrowEmbedded(setting.folder);
  }
  await tryDatabase(setting.url);
  return { url: setting.url, stop: async () => {} };
}
