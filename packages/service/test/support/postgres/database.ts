/**
 * Makes databases for tests: in the PostgreSQL that the whole run shares, each empty, and dropped when its
 * test ends.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Test } from 'tap';
import { plantStore } from '../../../../../src/plant-store.js';
import { openTestCluster } from '../../../../kit/postgres.js';
import { Database } from '../../../src/postgres/database.js';
import { migrate } from '../../../src/postgres/migrations.js';

/**
 * A short time limit in milliseconds for statements that wait for it; others need less, also on a busy
 * machine.
 */
export const shortLimitMs = 2_000;

/**
 * The time limit in milliseconds of statements, connections and requests that a test does not want to end. On a
 * busy machine, the service's own limits would end more than they should.
 */
export const patienceMs = 60_000;

/** Opens a database until the test ends, for statements that may take long on a busy machine. */
export function openDatabase(t: Pick<Test, 'teardown'>, url: string): Database {
  const database = new Database(url, () => {}, { statement: patienceMs, connect: patienceMs });
  t.teardown(() => database.close());
  return database;
}

/**
 * Makes an empty database, which is dropped when the test ends.
 *
 * @returns its URL
 */
export async function makeDatabase(t: Pick<Test, 'teardown'>): Promise<string> {
  const cluster = await openTestCluster();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = await cluster.connect();
  await client.query(`CREATE DATABASE ${name}`);
  t.teardown(async () => {
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await client.end();
  });
  return cluster.url.replace('/postgres?', `/${name}?`);
}

/**
 * Makes a database with the service's tables, and runs `sql` on it.
 *
 * @returns its URL
 * @throws {Error} of pg if the SQL fails
 */
export async function makeTables(t: Pick<Test, 'teardown'>, sql: string): Promise<string> {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // If the SQL fails, a client that is left open would end the process when its database is dropped.
  await client.query(sql).finally(() => client.end());
  return url;
}
