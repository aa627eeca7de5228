/** Waits until statements wait for locks, and has them wait. */
import pg from 'pg';
import type { Test } from 'tap';
import { endOf } from '../testing/end-of.js';
import { until } from '../testing/process.js';

/** Counts the statements that wait for a lock, in the database of this connection. */
export async function statementsThatWait(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rows.length;
}

/**
 * Waits until `count` statements in a database wait for a lock.
 *
 * @param waiting is expected to wait for it
 * @throws {Error} as soon as `waiting` ends, since the lock would never be waited for; or after three minutes
 */
export async function untilLocked(databaseUrl: string, count = 1, waiting?: Promise<unknown>): Promise<void> {
  const hasEnded = endOf(waiting);
  // Its own connection: within a transaction, PostgreSQL lists only the sessions that there were at its first look.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const what = count === 1 ? 'a statement waits' : `${count} statements wait`;
    await until(`${what} for a lock`, async () => {
      if (hasEnded()) throw new Error('What should wait for a lock has ended without one.');
      return (await statementsThatWait(client)) >= count;
    });
  } finally {
    await client.end();
  }
}

/** What sends statements, such as the service's database. */
interface Queryable {
  query(statement: { readonly text: string }): Promise<unknown>;
}

/** Sends a statement that uses a connection of the database until `goOn`. */
export async function waitingStatement(t: Test, database: Queryable, databaseUrl: string) {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  const goOn = () => holder.end();
  t.teardown(goOn);
  await holder.query('SELECT pg_advisory_lock(1)');
  return { waiting: database.query({ text: 'SELECT pg_advisory_xact_lock(1)' }), goOn };
}

/**
 * Has every statement on plants wait.
 *
 * @returns a function that lets them go on
 */
export async function lockPlants(databaseUrl: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  return () => holder.end();
}
