import { readDatabaseSetting } from '../settings.js';
import { type LoadEmbedded, type PostgresInUse, useEmbedded } from '../start/postgres-in-use.js';
import { tryDatabase } from '../start/try-database.js';

/**
 * Gives a command its database: that of DATABASE_URL, or the embedded one, which may be running already.
 *
 * @param embedded loads the embedded one; undefined if the program has none
 * @returns its URL, and a function that gives it back, which must be called
 * @throws {SettingsError} if DATABASE_URL or DATA_DIR is wrong, or the database cannot be reached
 * @throws {StartError} if the embedded one cannot be started
 */
export async function borrowPostgres(embedded: LoadEmbedded | undefined): Promise<PostgresInUse> {
  const setting = readDatabaseSetting();
  if (setting.kind === 'embedded') {
    // Signals are ignored, because a command is short, and a Ctrl-C in its middle would leave PostgreSQL
    // running.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
    return useEmbedded(embedded, ({ borrowEmbedded }) => borrowEmbedded(setting.folder));
  }
  await tryDatabase(setting.url);
  return { url: setting.url, stop: async () => {} };
}
