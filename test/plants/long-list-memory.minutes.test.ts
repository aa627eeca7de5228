import { request } from 'node:http';
import { getHeapSpaceStatistics } from 'node:v8';
import pg from 'pg';
import t from 'tap';
import { spawnServer } from '../../packages/kit/testing.js';
import { Database, TokenStore } from '../../packages/service/layer.js';
import { insertPlants, plantText } from '../../packages/service/test/support/plants.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';
import { openStore } from '../../packages/service/test/support/store.js';

t.test('a server lists a million plants although they would not fit into its heap', async (t) => {
  const url = await makeDatabase(t);
  // As an array of rows, the plants would take hundreds of megabytes.
  const server = await spawnServer(t, { DATABASE_URL: url }, { options: ['--max-old-space-size=48'] });
  const database = new Database(url, () => {});
  const token = await new TokenStore(database).issue('owner');
  await database.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    insertPlants("SELECT 'owner', id, 'plant ' || id FROM generate_series(1, 1000000) AS id"),
  );
  await client.end();

  let count = 0;
  let next = 1;
  let rest = '';
  await new Promise<void>((resolve, reject) => {
    const list = request(`${server.address}/plants`, { headers: { authorization: `Bearer ${token}` } });
    list.on('error', reject);
    list.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const pieces = (rest + text).split(/\[|,(?=\{)/);
        rest = pieces.pop() ?? '';
        for (const piece of pieces) {
          if (piece === '') continue;
          if (piece === plantText({ name: `plant ${next}` })) next++;
          count++;
        }
      });
      response.on('end', resolve);
      response.on('error', reject);
    });
    list.end();
  });
  t.equal(rest, `${plantText({ name: 'plant 1000000' })}]`);
  t.strictSame([count, next], [999_999, 1_000_000], 'each once, in order of id');
});

/** Bytes in the old generation: objects that survived two young collections, even if dead by now. */
function oldGeneration(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => ['old_space', 'large_object_space'].includes(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

t.test('the pages of a long list are garbage as soon as they are sent', async (t) => {
  const { url, store } = await openStore(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    insertPlants("SELECT 'owner', id, repeat('x', 100) FROM generate_series(1, 400000) AS id"),
  );
  await client.end();

  let count = 0;
  const read = async () => {
    for await (const page of await store.list('owner')) count += [page].flat().length;
  };
  await read();
  const before = oldGeneration();
  await read();
  t.equal(count, 800_000);
  // The second list read 40 MB of names.
  t.ok(oldGeneration() - before < 10e6, `${oldGeneration() - before} bytes`);
});
