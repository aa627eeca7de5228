/** `npm run token`: issues, lists and revokes access tokens, also while the server runs. */
import { type TokenRecord, TokenStore } from '../src/access/token-store.js';
import { borrowEmbedded } from '../src/embedded-postgres/embedded.js';
import { migrationFolders } from '../src/parts.js';
import { Database } from '../src/postgres/database.js';
import { migrate } from '../src/postgres/migrations.js';
import { readDatabaseSetting } from '../src/settings.js';
import { explainFailure } from '../src/start/explain-failure.js';
import { tryDatabase } from '../src/start/try-database.js';
import { type Command, readCommand, UsageError, usage } from './token/arguments.js';

async function run(command: Command): Promise<number> {
  if (command.name === 'help') {
    console.log(usage);
    return 0;
  }
  const setting = readDatabaseSetting();
  if (setting.kind === 'url') await tryDatabase(setting.url);
  const postgres =
    setting.kind === 'embedded'
      ? await borrowEmbedded(setting.folder)
      : { url: setting.url, stop: async () => {} };
  const database = new Database(postgres.url, () => {});
  try {
    await migrate(postgres.url, migrationFolders);
    return await execute(command, new TokenStore(database));
  } finally {
    await database.close();
    await postgres.stop();
  }
}

async function execute(command: Exclude<Command, { name: 'help' }>, tokens: TokenStore): Promise<number> {
  switch (command.name) {
    case 'issue':
      console.log(await tokens.issue(command.owner, command.lifetime));
      return 0;
    case 'list':
      console.log(table(await tokens.list()));
      return 0;
    case 'revoke':
      if (await tokens.revoke(command.id)) return 0;
      console.error(`There is no token ${command.id}: "list" shows all tokens.`);
      return 1;
  }
}

/** The owner comes last, because its width in a terminal is unknown. */
function table(tokens: readonly TokenRecord[]): string {
  const rows = tokens.map(({ id, owner, createdAt, expiresAt, revokedAt }) => {
    const times = [createdAt, expiresAt, revokedAt].map((time) => time?.toISOString() ?? '-');
    return [String(id), ...times, owner];
  });
  const table = [['ID', 'CREATED', 'EXPIRES', 'REVOKED', 'OWNER'], ...rows];
  const widthOf = (column: number): number => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const widths = [0, 1, 2, 3].map(widthOf);
  return table
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}

// The command is short. A Ctrl-C in between would leave the embedded PostgreSQL running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
try {
  process.exitCode = await run(readCommand(process.argv.slice(2)));
} catch (error) {
  process.exitCode = 1;
  if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
  else console.error(explainFailure(error));
}
