/**
 * Applies the SQL files of the migrations folders, each of them once. The table `plant_store_migrations` has
 * the names of those that were applied.
 *
 * Several replicas can start at once, and a migration can fail in its middle. So everything is one
 * transaction with a lock: one replica applies the new files, checks what they did, and commits, while the
 * others wait and then find nothing to do. If a file fails, none of the new ones is applied.
 *
 * While replicas are restarted one after the other, those of the version before still run. So the tables
 * before the new files are compared with those after each of them. If the files together would break these
 * replicas (breaking-changes.ts), all are refused, unless an operator asks for them.
 *
 * For example, three replicas start with two new files: 4 adds a column, and 5 drops one. The first replica
 * to get the lock applies both, finds that 5 breaks the version before, rolls both back, and names 5. The two
 * others wait for the lock, and do the same.
 *
 * A rehearsal does the same, and rolls everything back, so `plant-store check` and the start give the same
 * answer. Nobody could know it without running the files: one may fail because of the rows that are stored.
 *
 * A migration that waits for the lock of a table makes the requests behind it wait, too. So it waits for two
 * seconds for each lock, unless its file says otherwise. Then everything is rolled back, and the requests go
 * on. After a pause, `migrate` tries again.
 *
 * The cost: a file cannot have statements that must not run in a transaction, such as CREATE INDEX
 * CONCURRENTLY.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnavailableError } from '../errors/database.js';
import { reasonOf } from '../errors/reason.js';
import type { BreakingMigrations } from '../settings.js';
import { breakingChanges } from './breaking-changes.js';
import { readTables } from './catalogue.js';
import type { Database } from './database.js';
import { GuardedClient } from './guarded-client.js';
import { MigrationError, readMigrations } from './migration-files.js';
import { isLockTimeout, isUnavailable } from './sqlstate.js';

/** The number of the advisory lock has the bytes of "plnt". */
const advisoryLock = 0x706c6e74;

/** The SQLSTATE of an account that lacks a right. */
const insufficientPrivilege = '42501';
const privilegeAdvice = 'Run "plant-store migrate" with an account that may do it.';

const lockAdvice =
  'end long transactions on its tables, which pg_stat_activity shows, or start when they are done.';

const breakingAdvice =
  'If none of them runs, use "BREAKING_MIGRATIONS=apply plant-store migrate" (docs/scale/replicas.md).';

/** An empty table takes a column that a table with rows refuses. */
const appliedAdvice =
  'They are applied here, and refused where replicas run (docs/scale/replicas.md). A table with rows refuses an ' +
  'added NOT NULL column without a default: give it one, or fill it before SET NOT NULL.';

/**
 * A migration may rewrite a large table, so PostgreSQL ends its statements after ten minutes. A server that
 * has not answered ten seconds later is silent.
 */
const timeouts = { connectMs: 10_000, statementMs: 600_000, answerMs: 610_000 };

/** Requests wait behind a migration that waits for a lock, and are answered 503 after 8 s. */
const lockMs = 2_000;
/** How often a migration is tried that does not get its locks. Each pause is twice as long as the one before. */
const tries = { max: 5, firstPauseMs: 500 };

const lockLimit = `SET LOCAL lock_timeout = ${lockMs}`;

/** Requests wait for the locks of a migration, so a rehearsal gives up before they are answered 503. */
const rehearsalLimits = { statementMs: 5_000, lockMs };
/** The SQLSTATEs of a statement that reached its time limit, or waited too long for a lock. */
const givenUp: ReadonlySet<unknown> = new Set(['57014', '55P03']);
const givenUpAdvice =
  `A check ends its statements after ${rehearsalLimits.statementMs / 1_000} s, because requests wait for their ` +
  `locks, and waits ${rehearsalLimits.lockMs / 1_000} s for the locks of others. The start has ` +
  `${timeouts.statementMs / 60_000} minutes.`;

export interface MigrateOptions {
  /**
   * Runs before the commit. If it throws, nothing is applied.
   *
   * @param unknown the names of applied migrations that no folder has: a newer version has applied them
   * @throws {Error} if the tables do not fit
   */
  readonly check?: (database: Pick<Database, 'query'>, unknown: readonly string[]) => Promise<void>;
  /** Whether migrations may break replicas of the version before; by default, they are refused. */
  readonly breaking?: BreakingMigrations;
  /** Is told what migrations would break if they are applied all the same. */
  readonly warn?: (message: string) => void;
  /** Whether everything is rolled back in the end. */
  readonly isRehearsal?: boolean;
  /** How often migrations are tried that do not get the locks of their tables. A rehearsal is not repeated. */
  readonly maxTries?: number;
  /** Ends the pause between two tries. */
  readonly signal?: AbortSignal;
}

/**
 * Applies new SQL files in order of name. The lock ends with the transaction, so it also works behind
 * pgbouncer.
 *
 * @param folders the absolute paths of the folders with the files
 * @returns the names of those that it applied, or that it would apply if this were no rehearsal
 * @throws {MigrationError} if a migration fails, is refused or does not get its locks, if a folder cannot be
 * read, if two migrations have the same name, or if the database is not UTF-8
 * @throws {DatabaseUnavailableError} if a retry can help
 * @throws {Error} what `check` throws, and the reason of `signal`
 */
export async function migrate(
  url: string,
  folders: readonly string[],
  { maxTries = tries.max, signal, ...options }: MigrateOptions = {},
): Promise<string[]> {
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted();
    try {
      return await migrateOnce(url, folders, options);
    } catch (error) {
      const isBlocked = error instanceof MigrationError && isLockTimeout(error.cause);
      if (!isBlocked || options.isRehearsal || tried >= maxTries) throw error;
      options.warn?.(`${error.message} Trying again.`);
    }
    await pause(tries.firstPauseMs * 2 ** (tried - 1), undefined, { signal });
  }
}

async function migrateOnce(
  url: string,
  folders: readonly string[],
  {
    check = async () => {},
    breaking = 'refuse',
    warn = () => {},
    isRehearsal = false,
  }: Omit<MigrateOptions, 'maxTries' | 'signal'>,
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
  const steps: Step[] = [];
  let step = 'The table of migrations';
  try {
    await client.connect().catch((error) => {
      throw new DatabaseUnavailableError(error);
    });
    await client.query(`BEGIN; ${timeLimits(isRehearsal)}`);
    await requireUtf8(database);
    await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
    // Not before: the advisory lock may take as long as the migrations of another replica.
    await client.query(lockLimit);
    if (!(await isRecorded(database))) await client.query(record);
    const known = await readApplied(database);
    const waiting = migrations.filter(({ name }) => !known.has(name));
    const before = waiting.length > 0 ? await readTables(database) : new Map();
    for (const { name, sql } of waiting) {
      step = `The migration ${name}`;
      // An empty file would count as applied for ever.
      if (sql.trim() === '') throw new MigrationError(`${step} is empty: write its SQL, or delete the file.`);
      // The file before may have set its own.
      await client.query(lockLimit);
      await client.query(sql);
      await client.query('INSERT INTO plant_store_migrations (name) VALUES ($1)', [name]);
      steps.push({ name, changes: breakingChanges(before, await readTables(database)) });
    }
    // Otherwise a deferred constraint fails only at the commit, which a rehearsal does not have.
    if (isRehearsal) await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    step = 'The check of the migrations';
    await client.query(lockLimit);
    const names = new Set(migrations.map(({ name }) => name));
    await check(
      database,
      [...known].filter((name) => !names.has(name)),
    );
    const harm = harmOf(steps);
    if (harm.length > 0 && breaking === 'refuse') throw new MigrationError(refusalOf(harm, steps));
    if (!isRehearsal) await client.query('COMMIT');
    if (harm.length > 0) warn(`${harm.join(' ')} ${appliedAdvice}`);
  } catch (error) {
    throw failureOf(error, step, isRehearsal);
  } finally {
    // Without COMMIT, this rolls back.
    await client.end();
  }
  return steps.map(({ name }) => name);
}

/** A migration that was run, and what would break the version before if the transaction ended with it. */
interface Step {
  readonly name: string;
  readonly changes: readonly string[];
}

/** The role or the pooler may have shorter limits, for ordinary statements. */
function timeLimits(isRehearsal: boolean): string {
  const limits = isRehearsal ? rehearsalLimits : { statementMs: timeouts.statementMs, lockMs: 0 };
  return `SET LOCAL statement_timeout = ${limits.statementMs}; SET LOCAL lock_timeout = ${limits.lockMs}`;
}

/** @returns a sentence for each step with a change that breaks something, unless a later step mends it */
function harmOf(steps: readonly Step[]): string[] {
  const lasting = new Set(steps.at(-1)?.changes);
  return steps.flatMap(({ name, changes }, at) => {
    const before = new Set(steps[at - 1]?.changes);
    const added = changes.filter((change) => lasting.has(change) && !before.has(change));
    return added.length > 0
      ? [`${name} would break replicas of the version before: ${added.join('; ')}.`]
      : [];
  });
}

function refusalOf(harm: readonly string[], steps: readonly Step[]): string {
  const names = steps.map(({ name }) => name).join(', ');
  const none = steps.length > 1 ? [`None of the new migrations is applied: ${names}.`] : [];
  return [...harm, breakingAdvice, ...none].join(' ');
}

/** Puts an error of pg into words; any other is returned as it is. */
function failureOf(error: unknown, step: string, isRehearsal: boolean): unknown {
  if (isRehearsal && error instanceof pg.DatabaseError && givenUp.has(error.code)) {
    return new MigrationError(`${step} was given up: ${reasonOf(error)}. ${givenUpAdvice}`, { cause: error });
  }
  if (isLockTimeout(error)) {
    const message = `${step} waited too long for a lock that others hold, and was rolled back: ${lockAdvice}`;
    return new MigrationError(message, { cause: error });
  }
  if (isUnavailable(error)) return new DatabaseUnavailableError(error);
  if (!(error instanceof pg.DatabaseError)) return error;
  const advice = error.code === insufficientPrivilege ? ` ${privilegeAdvice}` : '';
  return new MigrationError(`${step} failed: ${reasonOf(error)}.${advice}`, { cause: error });
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
    text: 'SELECT name FROM plant_store_migrations ORDER BY name',
  });
  return new Set(rows.map(({ name }) => name));
}

/** @throws {MigrationError} if the database has another encoding */
async function requireUtf8(database: Pick<Database, 'query'>): Promise<void> {
  const { rows } = await database.query<{ server_encoding: string }>({ text: 'SHOW server_encoding' });
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8') {
    throw new MigrationError(`The database is encoded in ${encoding}: create one with ENCODING 'UTF8'.`);
  }
}
