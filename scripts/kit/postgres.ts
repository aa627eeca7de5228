import { borrowEmbedded, type EmbeddedPostgres } from '../../src/embedded-postgres/embedded.js';
import { readDatabaseSetting } from '../../src/settings.js';
import { tryDatabase } from '../../src/start/try-database.js';

/** The PostgreSQL of the service, for a command: DATABASE_URL, or the embedded one, which may be running already. */
export async function borrowPostgres(): Promise<EmbeddedPostgres> {
  const setting = readDatabaseSetting();
  if (setting.kind === 'embedded') return borrowEmbedded(setting.folder);
  await tryDatabase(setting.url);
  return { url: setting.url, stop: async () => {} };
}
