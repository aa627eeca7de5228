/**
 * Creates, updates and deletes of one event loop tick, which share a statement: what each is answered, and in which
 * order their statement locks rows. The files create-batch, update-batch and delete-batch have the stories of each.
 */
import t from 'tap';
import { insertPlants, newPlant, storedPlant } from '../support/plants.js';
import { namesIn, replicasOf, whileItWaits } from '../support/replicas.js';
import type { PlantStore } from '../support/store.js';

type Verb = 'create' | 'update' | 'delete';

/** Names of plants by their ids. */
type Plants = Readonly<Record<number, string>>;

const call = (store: PlantStore, verb: Verb, id: number, name = '') =>
  verb === 'delete'
    ? store.delete('owner', BigInt(id))
    : store[verb]('owner', newPlant({ id: BigInt(id), name }));

async function storeAll(store: PlantStore, plants: Plants): Promise<void> {
  for (const [id, name] of Object.entries(plants)) await call(store, 'create', Number(id), name);
}

const tenIds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** What is stored before and after calls of one tick, each with its answer; `stored` is the plant of this name. */
const ticks: readonly {
  readonly title: string;
  readonly verb: Verb;
  readonly before?: Plants;
  readonly calls: readonly (readonly [
    id: number,
    name: string,
    answer: 'stored' | 'conflict' | 'deleted' | 'absent',
  ])[];
  readonly after: readonly string[];
  /** How many statements the calls are; not looked at if some conflict, because those keys are read. */
  readonly statements?: number;
}[] = [
  {
    title: 'creates of free keys in one event loop tick share one statement',
    verb: 'create',
    calls: tenIds.map((id) => [id, `plant ${id}`, 'stored']),
    after: tenIds.map((id) => `plant ${id}`),
    statements: 1,
  },
  {
    title: 'if creates share a statement, only those of taken keys conflict',
    verb: 'create',
    before: { 5: 'first' },
    calls: tenIds.map((id) => [id, 'second', id === 5 ? 'conflict' : 'stored']),
    after: tenIds.map((id) => (id === 5 ? 'first' : 'second')),
  },
  {
    title: 'if creates of equal keys share a statement, the first one gets the key',
    verb: 'create',
    calls: [
      [1, 'a', 'stored'],
      [1, 'b', 'conflict'],
      [2, 'c', 'stored'],
      // A repeat of the first.
      [1, 'a', 'stored'],
    ],
    after: ['a', 'c'],
  },
  {
    title: 'if updates of equal keys share a statement, the last one stays',
    verb: 'update',
    before: { 1: 'old' },
    calls: [
      [1, 'a', 'stored'],
      [1, 'b', 'stored'],
      [1, 'c', 'stored'],
    ],
    after: ['c'],
  },
  {
    title: 'if deletes of equal keys share a statement, the first one finds the plant',
    verb: 'delete',
    before: { 1: 'x', 2: 'x' },
    calls: [
      [2, '', 'deleted'],
      [1, '', 'deleted'],
      [2, '', 'absent'],
    ],
    after: [],
  },
];

for (const { title, verb, before = {}, calls, after, statements } of ticks) {
  t.test(title, async (t) => {
    const { database, store } = await (await replicasOf(t))();
    await storeAll(store, before);
    database.statements = [];
    t.same(
      await Promise.all(calls.map(([id, name]) => call(store, verb, id, name))),
      calls.map(([, name, answer]) => (answer === 'stored' ? storedPlant({ name }) : answer)),
    );
    if (statements !== undefined) t.equal(database.statements.length, statements);
    t.strictSame(await namesIn(store, 'owner'), after);
  });
}

const selectForUpdate = (...ids: number[]) =>
  `SELECT FROM plants WHERE id IN (${ids}) ORDER BY id FOR UPDATE`;
/** On a busy machine, creates may have given up waiting, and those of the other keys may be done. */
const insert = (...ids: number[]) =>
  `${insertPlants(`SELECT 'owner', unnest(ARRAY[${ids}]), 'of another'`)} ON CONFLICT DO NOTHING`;

/** Another transaction holds the lock of key 1, while the keys 3, 2 and 1 are changed in one tick. */
const locks: readonly {
  readonly title: string;
  readonly verb: Verb;
  readonly before?: Plants;
  /** SQL that takes the locks of these keys. */
  readonly lock: (...ids: number[]) => string;
  readonly after: readonly string[];
}[] = [
  {
    title: 'a statement of creates locks keys in their order',
    verb: 'create',
    lock: insert,
    after: ['y', 'y', 'y'],
  },
  {
    title: 'a statement of updates locks rows in the order of their keys',
    verb: 'update',
    before: { 1: 'x', 2: 'x', 3: 'x' },
    lock: selectForUpdate,
    after: ['y', 'y', 'y'],
  },
  {
    title: 'a statement of deletes locks rows in the order of their keys',
    verb: 'delete',
    before: { 1: 'x', 2: 'x', 3: 'x' },
    lock: selectForUpdate,
    after: [],
  },
];

for (const { title, verb, before = {}, lock, after } of locks) {
  t.test(title, async (t) => {
    const { database, store } = await (await replicasOf(t))();
    await storeAll(store, before);
    await whileItWaits(t, database.url, {
      hold: lock(1),
      begin: () => Promise.all([3, 2, 1].map((id) => call(store, verb, id, 'y'))),
      // This would wait if the statement had locked a key after the first.
      meanwhile: lock(2, 3),
    });
    t.strictSame(await namesIn(store, 'owner'), after);
  });
}
