import t, { type Test } from 'tap';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/postgres/database.js';

async function open(t: Test) {
  const told: string[] = [];
  const database = new Database(await makeDatabase(t), (_error, message) => told.push(message));
  t.teardown(() => database.close());
  const preparedNames = async () => {
    const { rows } = await database.query<{ name: string }>({
      text: 'SELECT name FROM pg_prepared_statements',
    });
    return rows.map(({ name }) => name);
  };
  return { database, told, preparedNames };
}

const one = { name: 'count', text: 'SELECT 1 AS count' };

t.test(
  'a named statement is prepared once, and another text under the same name is prepared separately',
  async (t) => {
    const { database, told, preparedNames } = await open(t);
    for (let time = 0; time < 3; time++) await database.query(one);
    t.match(await preparedNames(), [/^[0-9a-f]{16} count$/]);
    const { rows } = await database.query({ ...one, text: 'SELECT 2 AS count' });
    t.strictSame(rows, [{ count: 2 }]);
    t.equal((await preparedNames()).length, 2);
    t.strictSame(told, []);
  },
);

t.test('long names that begin alike stay apart', async (t) => {
  const { database, preparedNames } = await open(t);
  const name = `find rows of ${'x'.repeat(63)}`;
  for (const count of [1, 2]) {
    const { rows } = await database.query({ name, text: `SELECT ${count} AS count` });
    t.strictSame(rows, [{ count }]);
  }
  const names = await preparedNames();
  t.equal(names.length, 2);
  for (const prepared of names) t.match(prepared, /^[0-9a-f]{16} find rows of x+$/);
});

for (const [what, lose] of [
  ['a session that has lost the name', 'DEALLOCATE ALL'],
  ['a table that has changed', 'ALTER TABLE pots ADD colour text'],
] as const) {
  t.test(`after ${what}, statements run unprepared, which is reported once`, async (t) => {
    const { database, told, preparedNames } = await open(t);
    await database.query({ text: 'CREATE TABLE pots (id bigint)' });
    const pots = { name: 'pots', text: 'SELECT * FROM pots' };
    await database.query(pots);
    await database.query({ text: lose });
    const results = await Promise.all([database.query(pots), database.query(pots)]);
    t.match(results, [{ rows: [] }, { rows: [] }]);
    t.strictSame(told, ['prepared statements fail, so none are prepared from now on']);
    await database.query(one);
    t.notMatch((await preparedNames()).join(), 'count');
  });
}

t.test('a statement without a name loses none', async (t) => {
  const { database, told } = await open(t);
  await t.rejects(database.query({ text: "DO $$ BEGIN RAISE SQLSTATE '0A000'; END $$" }), { code: '0A000' });
  t.strictSame(told, []);
});

t.test(
  'once nothing is prepared any more, a named statement that fails like that is not repeated',
  async (t) => {
    const { database } = await open(t);
    await database.query({ text: 'CREATE SEQUENCE tries' });
    await database.query(one);
    await database.query({ text: 'DEALLOCATE ALL' });
    await database.query(one);
    const fail = `DO $$ BEGIN PERFORM nextval('tries'); RAISE SQLSTATE '0A000'; END $$`;
    await t.rejects(database.query({ name: 'fail', text: fail }), { code: '0A000' });
    const { rows } = await database.query<{ count: string }>({
      text: 'SELECT last_value AS count FROM tries',
    });
    t.match(rows, [{ count: '1' }]);
  },
);

t.test('a prepared statement that fails for another reason is not repeated', async (t) => {
  const { database, told } = await open(t);
  const divide = { name: 'divide', text: 'SELECT 1 / $1::int', values: [0] };
  await t.rejects(database.query(divide), { code: '22012' });
  t.strictSame(told, []);
});
