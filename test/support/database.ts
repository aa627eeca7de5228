import { randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { openTestCluster } from './cluster.js';

/** The URL of a new, empty database, which is gone when the test ends. */
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
