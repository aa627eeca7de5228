/** How many statements wait for a connection at most is bounded by the limits of those that send them. */
import pg from 'pg';
import t from 'tap';
import { maxLookups, TokenStore, tokensTable } from '../../src/access/token-store.js';
import { maxLists } from '../../src/fairness/long-lists.js';
import { until } from '../support/programs/process.js';
import { newPlant } from '../support/service/plants.js';
import { openStore } from '../support/service/store.js';

/** Batches of plants, and those of tokens, which have slots of their own. */
const maxBatches = 18 + 18;
/** A list reads the next pages while it reads one again that contains a delimiter. */
const maxStatements = maxBatches + 2 * maxLists.all;

t.test('at all limits, no more statements wait than batches and long lists have', async (t) => {
  const { url, database, store } = await openStore(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const owners = Array.from({ length: 9 }, (_, number) => `owner-${number}`);
  await client.query(
    `INSERT INTO plants (owner, id, name)
     SELECT owner, id, CASE id WHEN 1 THEN U&'Fern\\001f' ELSE 'Fern' END
     FROM unnest($1::text[]) AS owner CROSS JOIN generate_series(1, 150) AS id`,
    [owners],
  );
  const lists = await Promise.all(
    owners.flatMap((owner) => Array.from({ length: maxLists.owner }, () => store.list(owner))),
  );
  await client.query(`BEGIN; LOCK TABLE plants, ${tokensTable}`);

  const tokens = new TokenStore(database);
  const sent: Promise<unknown>[] = lists.map(async (list) => {
    for await (const page of list) if (!Array.isArray(page)) throw new Error('The list is short.');
  });
  for (let id = 1_000n; id < 3_000n; id++) {
    const owner = `owner-${id % 9n}`;
    const plant = newPlant({ id, name: 'Fern' });
    sent.push(store.create(owner, plant), store.list(owner), store.delete(owner, id));
  }
  for (let number = 0; number < maxLookups; number++) {
    const hash = String(number).padStart(64, '0');
    sent.push(tokens.find(hash), tokens.find(hash, 'known'));
  }
  const answers = Promise.allSettled(sent);
  let most = 0;
  let looks = 0;
  await until('the limits are reached, and no more come', () => {
    const { waiting } = database.connections;
    looks = waiting > most ? 0 : looks + 1;
    most = Math.max(most, waiting);
    return most > maxLists.all && looks > 20;
  });
  await client.query('ROLLBACK');
  await answers;
  t.ok(most <= maxStatements, `${most} waited`);
  t.equal(database.connections.waiting, 0);
});
