import pg from 'pg';
import { insertPlants } from './plants.js';

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
  await client.query(
    insertPlants(
      `SELECT $1::text, id, 'plant ' || id || $3, CASE WHEN id % 2 = 0 THEN 'even' END
       FROM generate_series(1, $2::int) AS id`,
    ),
    [owner, count, suffix],
  );
  await client.end();
}
