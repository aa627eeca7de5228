import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readContract } from '../../src/contract/document/document.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { Refused } from '../../src/store/refused.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { TableStore } from '../../src/store/store.js';
import { columnsOf, type StoredTable, tableOf } from '../../src/store/table.js';
import { documentOf } from '../support/contract.js';
import { makeDatabase } from '../support/database.js';
import { WatchedDatabase } from '../support/replicas.js';

/** Items that violate a constraint which their table names. */

type Garden = { id: bigint };
type Bed = { id: bigint; garden: bigint; name: string; width?: number };

const schemas = `components:
  schemas:
    Garden: { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }
    Bed:
      type: object
      required: [id, garden, name]
      properties:
        id: { type: integer, format: int64 }
        garden: { type: integer, format: int64 }
        name: { type: string, pattern: '^[^\\x00]*$' }
        width: { type: integer, format: int32 }
`;

const gardens = tableOf<Garden>()({
  table: 'gardens',
  schema: 'Garden',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: { id: 'bigint' },
  deleteFailures: { beds_garden: 'hasBeds' },
});
const beds = tableOf<Bed>()({
  table: 'beds',
  schema: 'Bed',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: { id: 'bigint', garden: 'bigint', name: 'text', width: 'integer' },
  failures: { beds_garden: 'noGarden', beds_name: 'nameTaken', beds_width: 'tooWide' },
});

const sql = `
  CREATE TABLE gardens (owner text, id bigint, PRIMARY KEY (owner, id));
  CREATE TABLE beds (owner text, id bigint, garden bigint NOT NULL, name text NOT NULL, width integer,
    PRIMARY KEY (owner, id),
    CONSTRAINT beds_garden FOREIGN KEY (owner, garden) REFERENCES gardens (owner, id),
    CONSTRAINT beds_width CHECK (width < 100));
  CREATE UNIQUE INDEX beds_name ON beds (owner, name);`;

async function open(t: Test) {
  const database = new WatchedDatabase(await makeDatabase(t));
  t.teardown(() => database.close());
  await database.query({ text: sql });
  const folder = t.testdir({ 'contract.yaml': documentOf('  {}', schemas) });
  const contract = await readContract(join(folder, 'contract.yaml'));
  const longLists = new LongLists();
  return {
    database,
    check: (...tables: StoredTable[]) => checkTables(contract, database, tables),
    gardens: new TableStore(database, gardens, columnsOf(contract, gardens), longLists),
    beds: new TableStore(database, beds, columnsOf(contract, beds), longLists),
  };
}

/** Beds of garden 1, or of a garden that does not exist. */
const bed = (id: bigint, garden = 1n): Bed => ({ id, garden, name: `bed ${id}` });
const failureOf = (outcome: unknown) => (outcome instanceof Refused ? outcome.failure : 'none');

t.test('a lone item that violates a constraint gets the failure that its table names', async (t) => {
  const { gardens, beds } = await open(t);
  t.equal(failureOf(await beds.create('ada', bed(1n))), 'noGarden');
  await gardens.create('ada', { id: 1n });
  t.same(await beds.create('ada', bed(1n)), bed(1n));
  t.equal(failureOf(await beds.create('bob', bed(1n))), 'noGarden', "another owner's garden is none");
  t.equal(failureOf(await beds.create('ada', { ...bed(2n), name: 'bed 1' })), 'nameTaken');
  t.equal(failureOf(await beds.create('ada', { ...bed(2n), width: 100 })), 'tooWide');
  t.equal(failureOf(await beds.update('ada', bed(1n, 2n))), 'noGarden');
  t.equal(failureOf(await beds.update('ada', { ...bed(1n), width: 100 })), 'tooWide');
  t.equal(failureOf(await gardens.delete('ada', 1n)), 'hasBeds');
  t.same(await beds.list('ada'), [bed(1n)], 'and nothing was done');
  t.same(await beds.create('ada', bed(1n)), bed(1n), 'a repeated create is still one');
  t.equal(await beds.delete('ada', 1n), true);
  t.equal(await gardens.delete('ada', 1n), true);
});

t.test('items that fail for their own reasons leave the others of their batch alone', async (t) => {
  const { gardens, beds } = await open(t);
  await Promise.all([1n, 2n, 3n].map((id) => gardens.create('ada', { id })));
  const ids = Array.from({ length: 40 }, (_, at) => BigInt(at));
  const isBad = (id: bigint) => id % 10n === 3n;
  const created = await Promise.all(ids.map((id) => beds.create('ada', bed(id, isBad(id) ? 9n : 1n))));
  t.strictSame(
    created.map(failureOf),
    ids.map((id) => (isBad(id) ? 'noGarden' : 'none')),
  );
  const twice = [50n, 51n, 52n].map((id) => beds.create('ada', { ...bed(id), name: 'the same' }));
  t.strictSame((await Promise.all(twice)).map(failureOf).sort(), ['nameTaken', 'nameTaken', 'none']);
  const updated = await Promise.all(ids.map((id) => beds.update('ada', bed(id, isBad(id) ? 1n : id % 2n))));
  t.strictSame(
    updated.map((outcome) => (outcome === undefined ? 'absent' : failureOf(outcome))),
    ids.map((id) => (isBad(id) ? 'absent' : id % 2n === 0n ? 'noGarden' : 'none')),
  );
  t.strictSame((await Promise.all([1n, 2n, 3n].map((id) => gardens.delete('ada', id)))).map(failureOf), [
    'hasBeds',
    'none',
    'none',
  ]);
});

t.test(
  'the start refuses constraints that no table names, and names of constraints that do not exist',
  async (t) => {
    const { check } = await open(t);
    await t.resolves(check(gardens, beds));
    const { failures: _, ...unnamed } = beds;
    await t.rejects(check(unnamed), {
      message: /beds has the constraint FOREIGN KEY .*, or name beds_garden in failures of its table\./,
    });
    await t.rejects(check(unnamed), { message: /CHECK .*name beds_width in failures/ });
    await t.rejects(check(unnamed), { message: /CREATE UNIQUE INDEX .*name beds_name in failures/ });
    const { deleteFailures: __, ...others } = gardens;
    await t.rejects(check(others), {
      message:
        /the constraint beds_garden of beds refuses deletes from gardens: name it in deleteFailures of gardens/,
    });
    await t.rejects(check({ ...beds, failures: { ...beds.failures, beds_gone: 'x' } }), {
      message: /beds has no constraint beds_gone, which failures of its table names\./,
    });
    await t.rejects(check({ ...beds, deleteFailures: { beds_garden: 'x' } }), {
      message: /no constraint beds_garden refuses deletes from beds, as deleteFailures of its table says\./,
    });
  },
);

t.test('a violated constraint that the table does not name is an error', async (t) => {
  const { database, gardens } = await open(t);
  await database.query({ text: 'ALTER TABLE gardens ADD CONSTRAINT few CHECK (id < 9)' });
  await t.rejects(gardens.create('ada', { id: 9n }), { code: '23514' });
});
