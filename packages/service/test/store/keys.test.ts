import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readContract } from '../../../service-tools/index.js';
import { OutcomeUnknownError } from '../../src/errors/database.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { DistributedStore } from '../../src/store/distributed-store.js';
import { newUuid } from '../../src/store/new-uuid.js';
import { openStore } from '../../src/store/open.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { columnsOf, type StoredTable, type Table, type TableTypes, tableOf } from '../../src/store/table.js';
import { documentOf } from '../support/contract/contract.js';
import { makeDatabase } from '../support/postgres/database.js';
import { WatchedDatabase } from '../support/replicas.js';

/** Keys that are texts, UUIDs of the client, and UUIDs that the server makes. */

type Word = { word: string; meaning: string };
type Thing = { id: string; name: string };

const schemas = `components:
  schemas:
    Word:
      type: object
      required: [word, meaning]
      properties:
        word: { type: string, maxLength: 100, pattern: '^[^\\x00]*$' }
        meaning: { type: string, pattern: '^[^\\x00]*$' }
    Thing:
      type: object
      required: [id, name]
      properties:
        id: { type: string, format: uuid }
        name: { type: string, pattern: '^[^\\x00]*$' }
`;

const sql = `
  CREATE TABLE words (owner text, word text, meaning text NOT NULL, PRIMARY KEY (owner, word));
  CREATE TABLE things (owner text, id uuid, name text NOT NULL, PRIMARY KEY (owner, id))`;

/** As Citus says that the tables are distributed, with one shard for all. */
const distributed = `;
  CREATE TABLE pg_dist_partition (logicalrelid regclass);
  INSERT INTO pg_dist_partition VALUES ('words'), ('things');
  CREATE FUNCTION get_shard_id_for_distribution_column(regclass, text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`;

const words = tableOf<Word>()({
  table: 'words',
  schema: 'Word',
  owner: 'owner',
  key: 'word',
  isKeyAnswered: true,
  columns: { word: 'text', meaning: 'text' },
  sorts: ['word'],
});
const commonOfThings = {
  table: 'things',
  schema: 'Thing',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: { id: 'uuid', name: 'text' },
} as const;
const things = tableOf<Thing>()(commonOfThings);
const madeThings = tableOf<Thing>()({ ...commonOfThings, keyFrom: 'server' });

async function contractOf(t: Test, yaml = schemas) {
  return readContract(join(t.testdir({ 'contract.yaml': documentOf('  {}', yaml) }), 'contract.yaml'));
}

async function open(t: Test, more = '') {
  const contract = await contractOf(t);
  const database = new WatchedDatabase(await makeDatabase(t));
  t.teardown(() => database.close());
  await database.query({ text: sql + more });
  await checkTables(contract, database, [words, things]);
  const longLists = new LongLists();
  const opened = <Types extends TableTypes>(table: Table<Types>) =>
    openStore(contract, database, table, longLists);
  return {
    database,
    words: await opened(words),
    things: await opened(things),
    madeThings: await opened(madeThings),
  };
}

async function itemsOf<Item>(list: Promise<Item[] | AsyncIterable<Item[]>>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of await list) items.push(...([page].flat() as Item[]));
  return items;
}

for (const [system, more] of [
  ['PostgreSQL', ''],
  ['the statements for Citus', distributed],
] as const) {
  t.test(`${system}: items whose key is a text are created, found, updated and deleted`, async (t) => {
    const { words } = await open(t, more);
    t.equal(words instanceof DistributedStore, more !== '');
    const all = ['', ' ', 'a', 'A', 'ä', 'a b', '7', "it's", 'x\u001fy', '\u{1f33f}'];
    const itemOf = (word: string) => ({ word, meaning: `of ${word}` });
    const create = () => Promise.all(all.map((word) => words.create('ada', itemOf(word))));
    t.strictSame(await create(), all.map(itemOf));
    t.strictSame(structuredClone(await create()), all.map(itemOf), 'again, which finds them');
    t.equal(await words.create('ada', { word: 'a', meaning: 'other' }), 'conflict');
    const found = await Promise.all([...all, 'b'].map((word) => words.find('ada', word)));
    t.strictSame(structuredClone(found), [...all.map(itemOf), undefined]);
    const changed = { word: 'a b', meaning: 'changed' };
    t.strictSame(await Promise.all(['a b', 'b'].map((word) => words.update('ada', { ...changed, word }))), [
      changed,
      'absent',
    ]);
    t.strictSame(await Promise.all(['A', 'b', 'A'].map((word) => words.delete('ada', word))), [
      'deleted',
      'absent',
      'absent',
    ]);
    t.strictSame(
      new Set((await itemsOf(words.list('ada'))).map(({ word }) => word)),
      new Set(all.filter((word) => word !== 'A')),
    );
  });

  t.test(`${system}: an owner and a text do not run together`, async (t) => {
    const { words } = await open(t, more);
    const pairs = [
      ['c', 'a b'],
      ['b c', 'a'],
      ['ab', 'c'],
      ['a', 'bc'],
      ['1 a', 'b'],
      ['1', ' ab'],
    ] as const;
    // Half of them exist, and all of them are looked for at the same moment.
    for (const [owner, word] of pairs.filter((_, at) => at % 2 === 0))
      await words.create(owner, { word, meaning: owner });
    const found = await Promise.all(pairs.map(([owner, word]) => words.find(owner, word)));
    t.strictSame(
      structuredClone(found),
      pairs.map(([owner, word], at) => (at % 2 === 0 ? { word, meaning: owner } : undefined)),
    );
  });

  t.test(`${system}: a UUID is one key in either case, and is answered in lower case`, async (t) => {
    const { things } = await open(t, more);
    const lower = '0192f3a4-5b6c-7d8e-9fab-cdef01234567';
    const upper = lower.toUpperCase();
    const item = { id: lower, name: 'spade' };
    t.strictSame(await things.create('ada', { id: upper, name: 'spade' }), item);
    t.strictSame(structuredClone(await things.create('ada', { id: upper, name: 'spade' })), item, 'again');
    const both = await Promise.all([upper, lower].map((id) => things.find('ada', id)));
    t.strictSame(structuredClone(both), [item, item]);
    t.strictSame(await things.update('ada', { id: upper, name: 'rake' }), { id: lower, name: 'rake' });
    t.strictSame(structuredClone(await things.list('ada', { after: newUuid(0).toUpperCase() })), [
      { id: lower, name: 'rake' },
    ]);
    t.strictSame(await Promise.all([upper, lower].map((id) => things.delete('ada', id))), [
      'deleted',
      'absent',
    ]);
  });

  t.test(`${system}: the server makes a key for each item, also of equal items`, async (t) => {
    const { madeThings } = await open(t, more);
    const made = await Promise.all(
      Array.from({ length: 50 }, () => madeThings.create('ada', { name: 'spade' })),
    );
    t.equal(new Set(made.map(({ id }) => id)).size, 50);
    t.strictSame(
      structuredClone(await itemsOf(madeThings.list('ada'))),
      made.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    );
    const [first] = made;
    t.strictSame(structuredClone(await madeThings.find('ada', first?.id ?? '')), first);
    t.equal(await madeThings.find('bob', first?.id ?? ''), undefined, 'another owner');
  });
}

t.test('a list in the order of texts comes in pages, in both directions', async (t) => {
  const { database, words } = await open(t);
  await database.query({
    text: `INSERT INTO words SELECT 'ada', CASE nr % 3 WHEN 0 THEN 'Ä ' ELSE 'a-' END || nr, 'x'
           FROM generate_series(1, 5000) AS nr`,
  });
  const { rows } = await database.query<{ word: string }>({ text: 'SELECT word FROM words ORDER BY word' });
  const sorted = rows.map(({ word }) => word);
  for (const [sort, wanted] of [
    ['word', sorted],
    ['-word', sorted.toReversed()],
  ] as const) {
    const all = await itemsOf(words.list('ada', { sort }));
    t.strictSame(
      all.map(({ word }) => word),
      wanted,
    );
    const after = await itemsOf(words.list('ada', { sort, after: wanted[1_999], limit: 2_500 }));
    t.strictSame(
      after.map(({ word }) => word),
      wanted.slice(2_000, 4_500),
    );
  }
});

t.test(
  'a create with a key of the server whose reply is lost has an unknown outcome, and is not sent again',
  async (t) => {
    const { database, madeThings } = await open(t);
    const query = database.query.bind(database);
    let lost = 0;
    database.query = async (statement) => {
      const result = await query(statement);
      if (!statement.text.startsWith('INSERT') || lost++ > 0) return result as never;
      throw new OutcomeUnknownError(new Error('The connection broke.'));
    };
    await t.rejects(madeThings.create('ada', { name: 'spade' }), OutcomeUnknownError);
    t.equal(lost, 1, 'it was not created again');
  },
);

t.test('a handler cannot choose a key that the server makes', async (t) => {
  const { madeThings } = await open(t);
  const chosen = { id: newUuid(), name: 'spade' };
  // @ts-expect-error The key is the server's.
  const made = await madeThings.create('ada', chosen);
  t.not(made.id, chosen.id);
  t.equal(await madeThings.find('ada', chosen.id), undefined);
});

t.test('the keys that the server makes need a column uuid, and are answered', async (t) => {
  const textKey = { ...commonOfThings, columns: { id: 'text', name: 'text' }, keyFrom: 'server' } as const;
  // @ts-expect-error The server makes UUIDs.
  t.ok(tableOf<Thing>()(textKey));
  const hiddenKey = { ...commonOfThings, isKeyAnswered: false, keyFrom: 'server' } as const;
  // @ts-expect-error Nobody would learn the key.
  t.ok(tableOf<Thing>()(hiddenKey));
});

t.test('a column uuid needs a member with the format uuid', async (t) => {
  const { database } = await open(t);
  const contract = await contractOf(t, schemas.replace('format: uuid', 'enum: [a, b]'));
  t.equal(columnsOf(contract, things).length, 2);
  await t.rejects(checkTables(contract, database, [things]), {
    message: /the column things\.id is 'uuid' in `columns` of its table\.ts.*add "format: uuid", or/,
  });
  const asText: StoredTable = { ...things, columns: { id: 'text', name: 'text' } };
  await t.rejects(checkTables(await contractOf(t), database, [asText]), {
    message: /the column things\.id is uuid, and `columns` of its table\.ts says text/,
  });
});

t.test('a UUID of version 7 has the form of RFC 9562, and begins with its time', async (t) => {
  const times = [0, 1, 2 ** 32, 0x017f22e279b0, Date.now(), 2 ** 48 - 1];
  const made = times.map((time) => newUuid(time));
  for (const uuid of made)
    t.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.strictSame(made.toSorted(), made);
  t.match(made[3], /^017f22e2-79b0-7/, 'the example of RFC 9562, appendix A.6');
  t.equal(new Set(Array.from({ length: 10_000 }, () => newUuid(1))).size, 10_000);
});
