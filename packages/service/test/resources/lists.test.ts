import pg from 'pg';
import { serveResources } from '../support/resources.js';

/** Lists are in order, whole and exact, however long they are and wherever they begin. */

const forEachResource = await serveResources();

/** As one text: to compare long arrays takes tap seconds. */
const namesIn = (body: unknown): string =>
  Array.isArray(body) ? body.map(({ name }) => name).join() : 'no list';
/** The names that `insertMany` gives. */
const names = (from: number, to: number): string =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => `item ${from + at}`).join();

forEachResource('items are listed by ascending id, each once, to the last digit', async (t, resource) => {
  const { path, item, table, optional, newOwner } = resource;
  const { call } = await newOwner();
  const greatest = 2n ** 63n - 1n;
  for (const id of [3n, greatest, 10n, 9n, greatest - 1n, 1n])
    await call('POST', path, { body: item(id, `${id}`, id === 9n ? optional : {}) });
  const { body, text, headers } = await call('GET', path);
  const expected = ['1', '3', '9', '10', `${greatest - 1n}`, `${greatest}`];
  t.equal(namesIn(body), expected.join());
  if (table.isKeyAnswered)
    t.strictSame(
      Array.from(text.matchAll(/"id":(\d+)/g), ([, id]) => id),
      expected,
    );
  t.match(headers.get('content-type'), /^application\/json/);
});

forEachResource('the list of an owner without items is an empty array', async (t, { path, newOwner }) => {
  const { call } = await newOwner();
  t.equal((await call('GET', path)).text, '[]');
  t.equal((await call('GET', `${path}?limit=5`)).text, '[]');
});

forEachResource(
  'limit cuts the list exactly, at sizes below, at and above a page and the whole list',
  async (t, { path, newOwner, insertMany }) => {
    const count = 10_100;
    const [owner, neighbour] = [await newOwner(), await newOwner()];
    await insertMany(owner, count);
    await insertMany(neighbour, 10);
    const ends = [100, 500, 2_100, 3_700, 8_500, count].flatMap((end) => [end - 1, end, end + 1]);
    for (const limit of [1, 2, ...ends, 2_147_483_647]) {
      const { body } = await owner.call('GET', `${path}?limit=${limit}`);
      t.equal(namesIn(body), names(1, Math.min(limit, count)), `limit=${limit}`);
    }
  },
);

forEachResource(
  'a list may begin after any id',
  async (t, resource) => {
    const { path, item, newOwner, insertMany } = resource;
    const count = 5_000;
    const owner = await newOwner();
    await insertMany(owner, count);
    for (const [after, limit] of [
      [1, 1],
      [17, 100],
      [count - 3, 2],
      [count - 3, 100],
      [count, 1],
      [1_000, 3_500],
    ] as const) {
      const { body } = await owner.call('GET', `${path}?after=${after}&limit=${limit}`);
      t.equal(namesIn(body), names(after + 1, Math.min(after + limit, count)), `after ${after}`);
    }
    t.strictSame(
      namesIn((await owner.call('GET', `${path}?after=2`)).body),
      names(3, count),
      'without a limit',
    );
    const greatest = 2n ** 63n - 1n;
    await owner.call('POST', path, { body: item(greatest, 'the last') });
    t.equal(namesIn((await owner.call('GET', `${path}?after=${greatest - 1n}`)).body), 'the last');
    t.equal((await owner.call('GET', `${path}?after=${greatest}`)).text, '[]');
  },
  ({ parameters }) => parameters.some(({ name }) => name === 'after'),
);

forEachResource(
  'simultaneous lists share statements, and each gets its own items',
  async (t, { path, newOwner, insertMany }) => {
    const [ada, bob, nobody] = [await newOwner(), await newOwner(), await newOwner()];
    for (const owner of [ada, bob]) await insertMany(owner, 150);
    const limits = [1, 20, 99, 100, 101, 150, 1_000];
    // Not more than 20 long lists of an owner: one more is refused.
    const asked = Array.from({ length: 6 }, () => limits)
      .flat()
      .flatMap((limit) => [ada, bob, nobody].map((owner) => ({ limit, owner })));
    await Promise.all(
      asked.map(async ({ limit, owner }) => {
        const { body } = await owner.call('GET', `${path}?limit=${limit}`);
        t.equal(namesIn(body), owner === nobody ? '' : names(1, Math.min(limit, 150)), `limit=${limit}`);
      }),
    );
  },
);

forEachResource('a long list arrives complete', async (t, { path, newOwner, insertMany }) => {
  const owner = await newOwner();
  await insertMany(owner, 100_000);
  const { body } = await owner.call('GET', path);
  t.equal(Array.isArray(body) && body.length, 100_000);
});

forEachResource(
  'HEAD on the list is answered without reading the table',
  async (t, { path, table, service, newOwner }) => {
    const { call } = await newOwner();
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    // Any read of the table would now wait for this lock.
    await client.query(`BEGIN; LOCK TABLE ${table.table} IN ACCESS EXCLUSIVE MODE`);
    t.teardown(() => client.end());
    const { status, headers, text } = await call('HEAD', path);
    t.strictSame([status, headers.get('allow'), text], [405, 'GET, POST', '']);
  },
);
