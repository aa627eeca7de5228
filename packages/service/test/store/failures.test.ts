import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readContract } from '../../../service-tools/index.js';
import { PermissionDeniedError } from '../../src/errors/database.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { Database } from '../../src/postgres/database.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { TableStore } from '../../src/store/store.js';
import { columnsOf, type StoredTable, tableOf } from '../../src/store/table.js';
import { documentOf } from '../support/contract/contract.js';
import { makeDatabase } from '../support/postgres/database.js';
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
const bedColumns = {
  table: 'beds',
  schema: 'Bed',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: { id: 'bigint', garden: 'bigint', name: 'text', width: 'integer' },
} as const;
const bedFailures = { beds_garden: 'noGarden', beds_name: 'nameTaken', beds_width: 'tooWide' } as const;
const beds = tableOf<Bed>()({ ...bedColumns, failures: bedFailures });
const policedBeds = tableOf<Bed>()({
  ...bedColumns,
  failures: { ...bedFailures, insufficient_privilege: 'tooLate' },
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
    contract,
    longLists,
    check: (...tables: StoredTable[]) => checkTables(contract, database, tables),
    gardens: new TableStore(database, gardens, columnsOf(contract, gardens), longLists),
    beds: new TableStore(database, beds, columnsOf(contract, beds), longLists),
  };
}

/** Beds of garden 1, or of a garden that does not exist. */
const bed = (id: bigint, garden = 1n): Bed => ({ id, garden, name: `bed ${id}` });
const wordOf = (outcome: unknown) => (typeof outcome === 'string' ? outcome : 'stored');

t.test('a lone item that violates a constraint gets the failure that its table names', async (t) => {
  const { gardens, beds } = await open(t);
  t.equal(await beds.create('ada', bed(1n)), 'noGarden');
  await gardens.create('ada', { id: 1n });
  t.same(await beds.create('ada', bed(1n)), bed(1n));
  t.equal(await beds.create('bob', bed(1n)), 'noGarden', "another owner's garden is none");
  t.equal(await beds.create('ada', { ...bed(2n), name: 'bed 1' }), 'nameTaken');
  t.equal(await beds.create('ada', { ...bed(2n), width: 100 }), 'tooWide');
  t.equal(await beds.update('ada', bed(1n, 2n)), 'noGarden');
  t.equal(await beds.update('ada', { ...bed(1n), width: 100 }), 'tooWide');
  t.equal(await gardens.delete('ada', 1n), 'hasBeds');
  t.same(await beds.list('ada'), [bed(1n)], 'and nothing was done');
  t.same(await beds.create('ada', bed(1n)), bed(1n), 'a repeated create is still one');
  t.equal(await beds.delete('ada', 1n), 'deleted');
  t.equal(await gardens.delete('ada', 1n), 'deleted');
  t.equal(await gardens.delete('ada', 1n), 'absent');
});

t.test('a handler without an answer for a failure does not compile', async (t) => {
  const { gardens, beds } = await open(t);
  const answers = { deleted: 204, absent: 404, conflict: 409 };
  // @ts-expect-error: it has no answer for hasBeds.
  t.equal(answers[await gardens.delete('ada', 1n)], 404);
  const created = await beds.create('ada', bed(1n));
  // @ts-expect-error: it has no answer for noGarden, nameTaken and tooWide.
  t.equal(typeof created === 'string' && answers[created], undefined);
  // @ts-expect-error: a failure is no bed.
  const stored: Bed = created;
  t.equal(stored, 'noGarden');
});

t.test('items that fail for their own reasons leave the others of their batch alone', async (t) => {
  const { gardens, beds } = await open(t);
  await Promise.all([1n, 2n, 3n].map((id) => gardens.create('ada', { id })));
  const ids = Array.from({ length: 40 }, (_, at) => BigInt(at));
  const isBad = (id: bigint) => id % 10n === 3n;
  const created = await Promise.all(ids.map((id) => beds.create('ada', bed(id, isBad(id) ? 9n : 1n))));
  t.strictSame(
    created.map(wordOf),
    ids.map((id) => (isBad(id) ? 'noGarden' : 'stored')),
  );
  const twice = [50n, 51n, 52n].map((id) => beds.create('ada', { ...bed(id), name: 'the same' }));
  t.strictSame((await Promise.all(twice)).map(wordOf).sort(), ['nameTaken', 'nameTaken', 'stored']);
  const updated = await Promise.all(ids.map((id) => beds.update('ada', bed(id, isBad(id) ? 1n : id % 2n))));
  t.strictSame(
    updated.map(wordOf),
    ids.map((id) => (isBad(id) ? 'absent' : id % 2n === 0n ? 'noGarden' : 'stored')),
  );
  t.strictSame(await Promise.all([1n, 2n, 3n].map((id) => gardens.delete('ada', id))), [
    'hasBeds',
    'deleted',
    'deleted',
  ]);
});

t.test(
  'the start refuses constraints that no table names, and names of constraints that do not exist',
  async (t) => {
    const { check } = await open(t);
    await t.resolves(check(gardens, beds));
    await t.resolves(check(policedBeds));
    const { failures: _, ...unnamed } = beds;
    await t.rejects(check(unnamed), {
      message: /beds has the constraint FOREIGN KEY .*, or name beds_garden in failures of its table\./,
    });
    await t.rejects(check(unnamed), { message: /CHECK .*name beds_width in failures/ });
    await t.rejects(check(unnamed), { message: /CREATE UNIQUE INDEX .*name beds_name in failures/ });
    const { deleteFailures: __, ...others } = gardens;
    await t.rejects(check(others, beds), {
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

/** Another account, because a superuser passes row policies. */
async function openWithPolicy(t: Test) {
  const { database, contract, longLists, gardens } = await open(t);
  const role = new URL(database.url).pathname.slice(1);
  await database.query({
    text: `ALTER TABLE beds ENABLE ROW LEVEL SECURITY;
           CREATE POLICY early ON beds USING (true) WITH CHECK (id < 100);
           CREATE ROLE ${role} LOGIN PASSWORD 'secret';
           GRANT SELECT, INSERT, UPDATE, DELETE ON gardens, beds TO ${role}`,
  });
  const asRole = new Database(
    Object.assign(new URL(database.url), { username: role, password: 'secret' }).href,
    () => {},
  );
  t.teardown(async () => {
    await asRole.close();
    await database.query({ text: `DROP OWNED BY ${role}; DROP ROLE ${role}` });
  });
  await gardens.create('ada', { id: 1n });
  return {
    beds: new TableStore(asRole, beds, columnsOf(contract, beds), longLists),
    policedBeds: new TableStore(asRole, policedBeds, columnsOf(contract, policedBeds), longLists),
    revoke: () => database.query({ text: `REVOKE INSERT ON beds FROM ${role}` }),
  };
}

t.test('a row that a row policy refuses leaves the others of its batch alone', async (t) => {
  const { beds, policedBeds, revoke } = await openWithPolicy(t);
  const ids = Array.from({ length: 40 }, (_, at) => BigInt(at % 10 === 3 ? 100 + at : at));
  const created = await Promise.allSettled(ids.map((id) => beds.create('ada', bed(id))));
  t.match(
    created,
    ids.map((id) =>
      id < 100n ? { status: 'fulfilled' } : { status: 'rejected', reason: PermissionDeniedError },
    ),
  );
  t.equal(((await beds.list('ada')) as unknown[]).length, 36);
  const again = await Promise.all(ids.map((id) => policedBeds.create('ada', bed(id))));
  t.strictSame(
    again.map(wordOf),
    ids.map((id) => (id < 100n ? 'stored' : 'tooLate')),
    'if its table has a name for it',
  );
  await revoke();
  await t.rejects(beds.create('ada', bed(50n)), { name: 'PermissionDeniedError', canBeMended: true });
});

t.test('a violated constraint that the table does not name is an error that names it', async (t) => {
  const { database, gardens, beds } = await open(t);
  const unknown = (name: string) => ({
    name: 'UnknownConstraintError',
    canBeMended: true,
    message: new RegExp(`violates .*"${name}"`),
  });
  await database.query({ text: 'ALTER TABLE gardens ADD CONSTRAINT few CHECK (id < 9)' });
  await t.rejects(gardens.create('ada', { id: 9n }), unknown('few'));
  await gardens.create('ada', { id: 1n });
  await beds.create('ada', bed(1n));
  await database.query({
    text: `CREATE TABLE seeds (owner text, bed bigint,
             CONSTRAINT seeds_bed FOREIGN KEY (owner, bed) REFERENCES beds (owner, id));
           INSERT INTO seeds VALUES ('ada', 1)`,
  });
  await t.rejects(beds.delete('ada', 1n), unknown('seeds_bed'));
});

t.test('the start only warns of what a newer version has changed without harm to this one', async (t) => {
  const { database, contract, check } = await open(t);
  await database.query({
    text: `CREATE TABLE seeds (owner text, bed bigint,
             CONSTRAINT seeds_bed FOREIGN KEY (owner, bed) REFERENCES beds (owner, id));`,
  });
  const refused =
    'the constraint seeds_bed of seeds refuses deletes from beds, and this version does not know seeds, so it answers them 503';
  t.strictSame(await check(gardens, beds), [
    `${refused}: name it in deleteFailures of beds, or say ON DELETE CASCADE.`,
  ]);
  await database.query({ text: 'ALTER TABLE beds DROP CONSTRAINT beds_garden; DROP INDEX beds_name' });
  await t.rejects(check(gardens, beds), { message: 'beds has no constraint beds_name, which failures' });
  t.strictSame(await checkTables(contract, database, [gardens, beds], ['9.sql']), [
    'The database is newer than this version: a newer one has applied 9.sql.',
    'no constraint beds_garden refuses deletes from gardens, as deleteFailures of its table says.',
    `${refused}.`,
    ...['beds_garden', 'beds_name'].map(
      (name) => `beds has no constraint ${name}, which failures of its table names.`,
    ),
  ]);
  await database.query({ text: 'ALTER TABLE beds DROP width' });
  await t.rejects(checkTables(contract, database, [gardens, beds], ['9.sql']), {
    name: 'StartError',
    message:
      /^The database is newer than .* has applied 9\.sql\. This .*: the column beds\.width is missing\. Start a version/,
  });
});
