/**
 * Applies the SQL files of the migrations folders, each of them once. The table `plant_store_migrations` has
 * the names of those that were applied.
 *
 * Several replicas can start at once, and a migration can fail in its middle. So everything is one
 * transaction with a lock: one replica applies the new files, checks what they did, and commits, while the
 * others wait and then find nothing to do. If a file fails, none of the new ones is applied.
 *
 * While replicas are restarted one after the other, those of the version before still run. So the tables
 * before and after the new files are compared, and a change that would break these replicas is refused
 * (breaking-changes.ts), unless an operator asks for it.
 *
 * For example, three replicas start with a new file that adds a column. The first to get the lock applies it,
 * and the two others wait for the lock, find its name in the table, and apply nothing.
 *
 * The cost: a file cannot have statements that must not run in a transaction, such as CREATE INDEX
 * CONCURRENTLY.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { DatabaseUnavailableError } from '../errors/database.js';
import { reasonFor, reasonOf } from '../errors/reason.js';
import { StartError } from '../errors/start.js';
import type { BreakingMigrations } from '../settings.js';
import { breakingChanges } from './breaking-changes.js';
import { readTables } from './catalogue.js';
import type { Database } from './database.js';
import { GuardedClient } from './guarded-client.js';
import { isUnavailable } from './sqlstate.js';

/** The number of the advisory lock has the bytes of "plnt". */
const lock = 0x706c6e74;

/** The SQLSTATE of an account that lacks a right. */
const insufficientPrivilege = '42501';
const privilegeAdvice = 'Run "plant-store migrate" with an account that may do it.';

const breakingAdvice =
  'If none of them runs, use "BREAKING_MIGRATIONS=apply plant-store migrate" (docs/scale/replicas.md).';

/** An empty table takes a column that a table with rows refuses. */
const appliedAdvice =
  'They are applied here, and refused where replicas run (docs/scale/replicas.md). A table with rows refuses an ' +
  'added NOT NULL column without a default: give it one, or fill it before SET NOT NULL.';

/** A migration failed, is refused, or cannot be found. The message says which one, and what to do. */
export class MigrationError extends StartError {
  override readonly name = 'MigrationError';
}

/**
 * A migration may rewrite a large table, so PostgreSQL ends its statements after ten minutes. A server that
 * has not answered ten seconds later is silent.
 */
const timeouts = { connectMs: 10_000, statementMs: 600_000, answerMs: 610_000 };

/**
 * Applies new SQL files in order of name. The lock ends with the transaction, so it also works behind
 * pgbouncer.
 *
 * @param folders the absolute paths of the folders with the files
 * @param check runs before the commit; if it throws, nothing is applied
 * @param breaking whether migrations may break replicas of the version before
 * @param warn is told what they would break if they are applied all the same
 * @returns the names of those that it applied
 * @throws {MigrationError} if a migration fails or is refused, if a folder cannot be read, if two migrations
 * have the same name, or if the database is not UTF-8
 * @throws {DatabaseUnavailableError} if a retry can help
 * @throws {Error} what `check` throws
 */
export async function migrate(
  url: string,
  folders: readonly string[],
  check: (database: Pick<Database, 'query'>) => Promise<void> = async () => {},
  breaking: BreakingMigrations = 'refuse',
  warn: (message: string) => void = () => {},
): Promise<string[]> {
  const migrations = await readMigrations(folders);
  const client = new GuardedClient({
    connectionString: url,
    connectionTimeoutMillis: timeouts.connectMs,
    query_timeout: timeouts.answerMs,
  });
  // Without a listener, a broken connection ends the process.
  client.on('error', () => {});
  const database: Pick<Database, 'query'> = {
    query: ({ text, values = [] }) => client.query(text, [...values]),
  };
  const applied: string[] = [];
  let step = 'The table of migrations';
  try {
    await client.connect().catch((error) => {
      throw new DatabaseUnavailableError(error);
    });
    // The role or the pooler may have a shorter time limit, for ordinary statements.
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${timeouts.statementMs}`);
    await requireUtf8(database);
    await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
    if (!(await isRecorded(database))) await client.query(record);
    const known = await readApplied(database);
    const missing = migrations.filter(({ name }) => !known.has(name));
    const before = missing.length > 0 ? await readTables(database) : undefined;
    for (const { name, sql } of missing) {
      step = `The migration ${name}`;
      // An empty file would count as applied for ever.
      if (sql.trim() === '') throw new MigrationError(`${step} is empty: write its SQL, or delete the file.`);
      await client.query(sql);
      await client.query('INSERT INTO plant_store_migrations (name) VALUES ($1)', [name]);
      applied.push(name);
    }
    step = 'The check of the migrations';
    await check(database);
    const changes = before === undefined ? [] : breakingChanges(before, await readTables(database));
    const harm = `${applied.join(', ')} would break replicas of the version before: ${changes.join('; ')}.`;
    if (changes.length > 0 && breaking === 'refuse') throw new MigrationError(`${harm} ${breakingAdvice}`);
    await client.query('COMMIT');
    if (changes.length > 0) warn(`${harm} ${appliedAdvice}`);
  } catch (error) {
    if (isUnavailable(error)) throw new DatabaseUnavailableError(error);
    if (!(error instanceof pg.DatabaseError)) throw error;
    const advice = error.code === insufficientPrivilege ? ` ${privilegeAdvice}` : '';
    throw new MigrationError(`${step} failed: ${reasonOf(error)}.${advice}`, { cause: error });
  } finally {
    // Without COMMIT, this rolls back.
    await client.end();
  }
  return applied;
}

/**
 * Reads which migrations would be applied, and changes nothing.
 *
 * @returns the names of migrations that are not applied
 * @throws {MigrationError} if the database is not UTF-8, if a folder cannot be read, or if two migrations
 * have the same name
 * @throws {Error} what `database.query` throws
 */
export async function newMigrations(
  database: Pick<Database, 'query'>,
  folders: readonly string[],
): Promise<string[]> {
  await requireUtf8(database);
  const applied = (await isRecorded(database)) ? await readApplied(database) : new Set();
  return (await readMigrations(folders)).map(({ name }) => name).filter((name) => !applied.has(name));
}

/**
 * Looks whether the account may apply migrations, and changes nothing.
 *
 * @throws {MigrationError} if the account may not make tables
 * @throws {Error} what `database.query` throws
 */
export async function requireRightToMigrate(database: Pick<Database, 'query'>): Promise<void> {
  const { rows } = await database.query<{ mayCreate: boolean }>({
    text: `SELECT has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`,
  });
  if (rows[0]?.mayCreate !== true) {
    throw new MigrationError(
      `Migrations wait, and the account may not make tables in the schema. ${privilegeAdvice}`,
    );
  }
}

/**
 * The statement has no "IF NOT EXISTS", which asks for the right to create tables even if the table exists.
 */
const record = `CREATE TABLE plant_store_migrations (
  name text PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
)`;

async function isRecorded(database: Pick<Database, 'query'>): Promise<boolean> {
  const text = "SELECT WHERE to_regclass('plant_store_migrations') IS NOT NULL";
  return (await database.query({ text })).rowCount === 1;
}

async function readApplied(database: Pick<Database, 'query'>): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ name: string }>({
    text: 'SELECT name FROM plant_store_migrations',
  });
  return new Set(rows.map(({ name }) => name));
}

interface Migration {
  readonly name: string;
  readonly folder: string;
  readonly sql: string;
}

/**
 * Reads the migrations of all folders, in the order of their names.
 *
 * @throws {MigrationError} if a folder cannot be read, or two migrations have the same name
 */
async function readMigrations(folders: readonly string[]): Promise<Migration[]> {
  const migrations = (await Promise.all(folders.map(readFolder))).flat();
  migrations.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const [at, { name, folder }] of migrations.entries()) {
    const next = migrations[at + 1];
    if (next?.name !== name) continue;
    throw new MigrationError(
      `${join(folder, name)} and ${join(next.folder, name)} have the same name, by which a migration is known: give the new one another number.`,
    );
  }
  return migrations;
}

async function readFolder(folder: string): Promise<Migration[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new MigrationError(
      `The migrations in ${folder} cannot be read: ${reasonFor(error)}. Make the folder, or mend the name of its resource in the list of resources.`,
    );
  });
  return Promise.all(
    names
      .filter((name) => name.endsWith('.sql'))
      .map(async (name) => ({ name, folder, sql: await readFile(join(folder, name), 'utf8') })),
  );
}

/** @throws {MigrationError} if the database has another encoding */
async function requireUtf8(database: Pick<Database, 'query'>): Promise<void> {
  const { rows } = await database.query<{ server_encoding: string }>({ text: 'SHOW server_encoding' });
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8') {
    throw new MigrationError(`The database is encoded in ${encoding}: create one with ENCODING 'UTF8'.`);
  }
}
