/**
 * The command `plant-store token`, which issues, lists and revokes access tokens, also while the service
 * runs, or before it has ever run.
 */
import { type TokenRecord, TokenStore } from '../access/token-store.js';
import { Database } from '../postgres/database.js';
import { borrowPostgres } from './borrow-postgres.js';
import type { Program } from './program.js';
import { type Command, readCommand } from './token-arguments.js';

export { usage } from './token-arguments.js';

/**
 * @returns the exit code; 1 if there is no such token to revoke
 * @throws {UsageError} if the command line is wrong
 * @throws {Error} as `borrowPostgres`, `applyMigrations` and the methods of `TokenStore` do
 */
export async function run(parameters: string[], { loadService, embedded }: Program): Promise<number> {
  const command = readCommand(parameters);
  const postgres = await borrowPostgres(embedded);
  const database = new Database(postgres.url, () => {});
  try {
    const tokens = new TokenStore(database);
    // Only a database without tables is migrated here. Migrations of a new version are left to "plant-store
    // migrate", because revoking a token must not depend on them.
    if (!(await tokens.hasTable())) {
      const { applyMigrations } = await import('./migrate-command.js');
      await applyMigrations(await loadService(), postgres.url);
    }
    return await execute(command, tokens);
  } finally {
    await database.close();
    await postgres.stop();
  }
}

async function execute(command: Command, tokens: TokenStore): Promise<number> {
  switch (command.name) {
    case 'issue':
      console.log(await tokens.issue(command.owner, command.lifetimeMs));
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
  const widthOf = (column: number): number => Math.max(...table.map((row) => String(row[column]).length));
  const widths = [0, 1, 2, 3].map(widthOf);
  return table
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .join('\n');
}
