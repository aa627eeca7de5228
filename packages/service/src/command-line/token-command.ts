/**
 * The command `plant-store token`, which issues, lists and revokes access tokens, also while the service
 * runs, or before it has ever run.
 */
import { once } from 'node:events';
import { type TokenRecord, TokenStore } from '../access/token-store.js';
import { Database } from '../postgres/database.js';
import { borrowPostgres } from './borrow-postgres.js';
import type { Program } from './program.js';
import { type Command, readCommand } from './token-arguments.js';

export { usage } from './token-arguments.js';

/**
 * @returns the exit code; 1 if there is no such token to revoke, or nobody reads the list
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
      return printList(tokens, command.owner);
    case 'revoke':
      if (await tokens.revoke(command.id)) return 0;
      console.error(`There is no token ${command.id}: "list" shows all tokens.`);
      return 1;
    case 'revoke all':
      if ((await tokens.revokeAll(command.owner)) > 0) return 0;
      console.error(`There is no token of "${command.owner}": "list" shows all tokens.`);
      return 1;
  }
}

/** Prints the rows as they come: there may be millions. */
async function printList(tokens: TokenStore, owner: string | undefined): Promise<number> {
  const { stdout } = process;
  let isLost = false;
  // failIfOutputIsLost prints why, once for each row that is written after that.
  stdout.once('error', () => {
    isLost = true;
  });
  console.log(rowOf(['ID', 'CREATED', 'EXPIRES', 'REVOKED', 'OWNER']));
  for (
    let page = await tokens.list(owner);
    page.length > 0;
    page = await tokens.list(owner, page.at(-1)?.id)
  ) {
    if (isLost) return 1;
    console.log(page.map(cellsOf).map(rowOf).join('\n'));
    if (stdout.writableNeedDrain) await once(stdout, 'drain').catch(() => {});
  }
  return 0;
}

function cellsOf({ id, owner, createdAt, expiresAt, revokedAt }: TokenRecord): string[] {
  const times = [createdAt, expiresAt, revokedAt].map((time) => time?.toISOString() ?? '-');
  return [String(id), ...times, owner];
}

/** How wide the columns are: an ID of ten digits, and times. The owner has no width, so it comes last. */
const widths = [10, 24, 24, 24, 0];

function rowOf(cells: readonly string[]): string {
  return cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
}
