import pg from 'pg';
import { serveResources } from '../support/resources.js';

/** A filter of a list gives exactly the items that fit, of this owner, in the order of every list. */

const forEachResource = await serveResources();
const filtersOf = ({ parameters }: { readonly parameters: readonly { readonly name: string }[] }) =>
  parameters.some(({ name }) => name === 'garden');

const idsIn = (body: unknown): string => (Array.isArray(body) ? body.map(({ id }) => id).join() : 'no list');
/** Every third id up to `last`, from `first` on. */
const thirds = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, Math.ceil((last - first + 1) / 3)) }, (_, at) => first + 3 * at);

forEachResource(
  'a list with a filter has the items that fit, and no other, in pages of any size',
  async (t, { path, query, newOwner, insertMany }) => {
    const [owner, neighbour] = [await newOwner(), await newOwner()];
    const count = 3_000;
    for (const { call, name } of [owner, neighbour]) {
      for (const id of [8, 9]) await call('POST', '/gardens', { body: `{"id":${id},"name":"another"}` });
      t.equal((await call('GET', `${path}?garden=8`)).text, '[]', `nothing yet of ${name}`);
    }
    await insertMany(owner, count);
    await insertMany(neighbour, 10);
    // The names of two of them hold every delimiter of a page, so that their page is read again.
    await query(
      `UPDATE beds SET garden = 7 + id % 3, name = CASE WHEN id IN (100, 2000) THEN $2 ELSE name END WHERE owner = $1`,
      [owner.name, Array.from({ length: 31 }, (_, code) => String.fromCodePoint(code + 1)).join('')],
    );
    const ids = { 7: thirds(3, count), 8: thirds(1, count), 9: thirds(2, count) };
    for (const [garden, expected] of Object.entries(ids)) {
      t.equal(idsIn((await owner.call('GET', `${path}?garden=${garden}`)).body), expected.join(), garden);
      for (const [after, limit] of [
        [1, 1],
        [17, 100],
        [17, 101],
        [500, 700],
        [count - 4, 50],
        [count, 50],
      ] as const) {
        const { body } = await owner.call('GET', `${path}?after=${after}&limit=${limit}&garden=${garden}`);
        const wanted = expected.filter((id) => id > after).slice(0, limit);
        t.equal(idsIn(body), wanted.join(), `garden ${garden}, after ${after}, limit ${limit}`);
      }
    }
    t.equal((await owner.call('GET', `${path}?garden=10`)).text, '[]', 'a garden that nobody has');
    t.equal(idsIn((await owner.call('GET', `${path}?limit=5`)).body), '1,2,3,4,5', 'without the filter');
  },
  filtersOf,
);

forEachResource(
  'lists of the same moment with other filters and owners do not mix',
  async (t, { path, newOwner, item }) => {
    const owners = await Promise.all(Array.from({ length: 3 }, () => newOwner()));
    for (const [at, { call }] of owners.entries()) {
      for (const garden of [8, 9]) {
        await call('POST', '/gardens', { body: `{"id":${garden},"name":"another"}` });
        const body = item(10 * garden + at, `bed of ${garden}`, { garden });
        t.equal((await call('POST', path, { body })).status, 200);
      }
    }
    const asked = Array.from({ length: 120 }, (_, at) => ({ at: at % 3, garden: at % 5 === 0 ? 9 : 8 }));
    const answers = await Promise.all(
      asked.map(({ at, garden }) => owners[at]?.call('GET', `${path}?garden=${garden}`)),
    );
    t.strictSame(
      answers.map((answer) => idsIn(answer?.body)),
      asked.map(({ at, garden }) => `${10 * garden + at}`),
    );
  },
  filtersOf,
);

forEachResource(
  'a page of a filtered list reads its own items only',
  async (t, { path, query, service, newOwner, insertMany }) => {
    const owner = await newOwner();
    await owner.call('POST', '/gardens', { body: '{"id":8,"name":"another"}' });
    await insertMany(owner, 20_000);
    await query('UPDATE beds SET garden = 8 WHERE owner = $1 AND id % 1000 = 0', [owner.name]);
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    t.teardown(() => client.end());
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT * FROM beds WHERE owner = '${owner.name}' AND garden = 8 AND id >= 1 ORDER BY id LIMIT 1600`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    t.match(plan, /Index Scan using beds_by_garden/);
    t.notMatch(plan, /Sort|Filter/);
    t.equal(idsIn((await owner.call('GET', `${path}?garden=8&limit=2`)).body), '1000,2000');
  },
  filtersOf,
);

forEachResource(
  'a value that does not fit the parameter is refused',
  async (t, { path, newOwner }) => {
    const { call } = await newOwner();
    for (const value of ['', '0', 'x', '9223372036854775808'])
      t.equal((await call('GET', `${path}?garden=${value}`)).status, 400, value);
  },
  filtersOf,
);
