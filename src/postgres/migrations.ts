import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { DatabaseUnavailableError } from '../database-errors.js';
import { reasonOf } from '../reason.js';
import { StartError } from '../start/start-error.js';
import type { Database } from './database.js';
import { isUnavailable } from './sqlstate.js';

/** The bytes of "plnt". */
const lock = 0x706c6e74;

export class MigrationError extends StartError {
  override readonly name = 'MigrationError';
}

/** Milliseconds. A migration may rewrite a large table. */
const timeouts = { connect: 10_000, statement: 600_000 };

/**
 * Applies new SQL files in order of name, in one transaction. Its lock makes other replicas wait, also behind
 * pgbouncer.
 *
 * @param check runs before the commit
 * @throws {MigrationError} if a migration fails, or the database is not UTF-8
 * @throws {DatabaseUnavailableError} if a retry can help
 */
export async function migrate(
  url: string,
  folders: readonly string[],
  check: (database: Pick<Database, 'query'>) => Promise<void> = async () => {},
): Promise<void> {
  const migrations = (await Promise.all(folders.map(readMigrations))).flat();
  migrations.sort((a, b) => (a.name < b.name ? -1 : 1));
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeouts.connect,
    query_timeout: timeouts.statement,
  });
  // Without a listener, a broken connection ends the process.
  client.on('error', () => {});
  let step = 'The table of migrations';
  try {
    await client.connect().catch((error) => {
      throw new DatabaseUnavailableError(error);
    });
    await client.query('BEGIN');
    await requireUtf8(client);
    await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    const applied = await readApplied(client);
    for (const { name, sql } of migrations) {
      if (applied.has(name)) continue;
      step = `The migration ${name}`;
      // An empty file would count as applied for ever.
      if (sql.trim() === '') throw new MigrationError(`${step} is empty: write its SQL, or delete the file.`);
      await client.query(sql);
      await client.query('INSERT INTO plant_store_migrations (name) VALUES ($1)', [name]);
    }
    step = 'The check of the migrations';
    await check({ query: ({ text, values = [] }) => client.query(text, [...values]) });
    await client.query('COMMIT');
  } catch (error) {
    if (isUnavailable(error)) throw new DatabaseUnavailableError(error);
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new MigrationError(`${step} failed: ${reasonOf(error)}.`, { cause: error });
  } finally {
    // Without COMMIT, this rolls back.
    await client.end();
  }
}

/** Creates the table only if needed: the account may lack the right. */
async function readApplied(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rowCount } = await client.query("SELECT WHERE to_regclass('plant_store_migrations') IS NULL");
  if (rowCount === 1) {
    await client.query(`CREATE TABLE plant_store_migrations (
      name text PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  }
  const { rows } = await client.query<{ name: string }>('SELECT name FROM plant_store_migrations');
  return new Set(rows.map(({ name }) => name));
}

interface Migration {
  readonly name: string;
  readonly sql: string;
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(folder, name), 'utf8') })));
}

async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8') {
    throw new MigrationError(`The database is encoded in ${encoding}: create one with ENCODING 'UTF8'.`);
  }
}
