import pg from 'pg';
import { insertPlants, optionalTexts } from './plants.js';

/**
 * Stores `count` plants of `owner` in a database, with ids from 1 on. Sorted by name, they have another
 * order.
 */
export async function plantMany(
  databaseUrl: string,
  owner: string,
  count: number,
  suffix = '',
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const texts = optionalTexts.map(() => ", CASE WHEN id % 2 = 0 THEN 'even' END").join('');
  const rows = `SELECT $1::text, id, 'plant ' || id || $3${texts} FROM generate_series(1, $2::int) AS id`;
  // If the SQL fails, a client that is left open would keep the test's process alive.
  await client.query(insertPlants(rows, optionalTexts), [owner, count, suffix]).finally(() => client.end());
}
