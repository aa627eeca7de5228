import type { EmbeddedPostgres } from '../embedded-postgres/embedded.js';
import { readDatabaseSetting } from '../settings.js';
import { tryDatabase } from '../start/try-database.js';

/** For a command: PostgreSQL at DATABASE_URL, or the embedded one, which may be running already. */
export async function borrowPostgres(): Promise<EmbeddedPostgres> {
  const setting = readDatabaseSetting();
  if (setting.kind === 'embedded') {
    // A command is short. A Ctrl-C in between would leave PostgreSQL running.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
    const { borrowEmbedded } = await import('../embedded-postgres/embedded.js');
    return borrowEmbedded(setting.folder);
  }
  await tryDatabase(setting.url);
  return { url: setting.url, stop: async () => {} };
}
