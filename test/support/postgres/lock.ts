import pg from 'pg';
import { endOf } from '../programs/end-of.js';
import { until } from '../programs/process.js';

/** How many statements wait for a lock, in the database of this connection. */
export async function statementsThatWait(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rows.length;
}

/**
 * Waits until so many statements in a database wait for a lock.
 *
 * @param waiting is expected to wait for it
 * @throws as soon as `waiting` ends: the lock would never be waited for
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

/** Has every statement on plants wait, until the function that it returns is called. */
export async function lockPlants(databaseUrl: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  return () => holder.end();
}
