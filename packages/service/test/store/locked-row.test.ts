import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { statementsThatWait, untilLocked } from '../../../kit/postgres.js';
import { TokenStore } from '../../src/access/token-store.js';
import { Database } from '../../src/postgres/database.js';
import { insertPlants, newPlant, storedPlant } from '../support/plants.js';
import { openStore, storeOf } from '../support/store.js';

/** Another transaction holds a row: only statements that need this row may wait. */

/** The statement timeout in milliseconds; other statements need less, also on a busy machine. */
const patience = 5_000;

// They wait for timeouts, each in a database of its own, so they wait together.
t.jobs = 5;
const together = { buffered: true };
/** It was tried again until its time was nearly over: when it ended, it was running or waited for its turn. */
const endedByTime = { name: /^(RolledBackError|WaitedTooLongError)$/ };

async function startStore(t: Test, timeout = patience) {
  const { url, database, store } = await openStore(t, timeout);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(() => holder.end());
  return { url, store, database, holder };
}

t.test(
  'a delete that waits for a locked row is cancelled, and the others in its statement are done',
  together,
  async (t) => {
    const { store, holder } = await startStore(t);
    for (const owner of ['a', 'b'])
      for (const id of [1n, 2n]) await store.create(owner, newPlant({ id, name: 'x' }));
    await holder.query("BEGIN; SELECT FROM plants WHERE owner = 'a' AND id = 1 FOR UPDATE");

    const deletes = [
      store.delete('a', 1n),
      store.delete('a', 2n),
      store.delete('b', 1n),
      store.delete('b', 9n),
    ];
    const [locked, ...others] = await Promise.allSettled(deletes);
    t.match(locked, { status: 'rejected', reason: endedByTime });
    t.match(others, [
      { status: 'fulfilled', value: 'deleted' },
      { status: 'fulfilled', value: 'deleted' },
      { status: 'fulfilled', value: 'absent' },
    ]);
    t.equal(await statementsThatWait(holder), 0);

    await holder.query('ROLLBACK');
    t.same(
      await store.find('a', 1n),
      storedPlant({ name: 'x' }),
      'what was answered as not done is not done later',
    );
    t.equal(await store.delete('a', 1n), 'deleted');
  },
);

t.test('deletes that share a statement with one of a locked row do not wait for it', together, async (t) => {
  const { url, store, holder } = await startStore(t, 600_000);
  const keys = ['a', 'b'].flatMap((owner) => [1n, 2n, 3n].map((id) => ({ owner, id })));
  for (const { owner, id } of keys) await store.create(owner, newPlant({ id, name: 'x' }));
  await holder.query("BEGIN; SELECT FROM plants WHERE owner = 'a' AND id IN (1, 2) FOR UPDATE");
  const deletes = [...keys, { owner: 'b', id: 9n }, { owner: 'b', id: 3n }].map(({ owner, id }) =>
    store.delete(owner, id),
  );
  const [first, second, ...others] = deletes;
  t.strictSame(await Promise.all(others), [...Array(4).fill('deleted'), 'absent', 'absent']);
  await untilLocked(url, 2, Promise.race([first, second]));
  await holder.query('ROLLBACK');
  t.strictSame(await Promise.all([first, second]), ['deleted', 'deleted']);
});

t.test(
  'a delete that is alone does not hold up others, either, and is done once its row is free',
  together,
  async (t) => {
    const { url, store, holder } = await startStore(t, 600_000);
    const ids = Array.from({ length: 8 }, (_, id) => BigInt(id));
    for (const id of ids) await store.create('a', newPlant({ id, name: 'x' }));
    await holder.query("BEGIN; SELECT FROM plants WHERE owner = 'a' AND id < 7 FOR UPDATE");
    const locked: Promise<string>[] = [];
    for (const id of ids.slice(0, 7)) {
      locked.push(store.delete('a', id));
      // So that the next one is not in its batch.
      await new Promise((resolve) => setImmediate(resolve));
    }
    t.equal(await store.delete('a', 7n), 'deleted');
    await untilLocked(url, 2, Promise.race(locked));
    await holder.query('ROLLBACK');
    t.strictSame(await Promise.all(locked), Array(7).fill('deleted'));
  },
);

t.test(
  'a create that waits for an uncommitted one is cancelled, and the others in its statement are done',
  together,
  async (t) => {
    // The others run alone after half a second, and on a busy machine their connections take long to open.
    const { store, holder } = await startStore(t, 3 * patience);
    await holder.query(`BEGIN; ${insertPlants("VALUES ('a', 1, 'uncommitted')")}`);
    const creates = ['a', 'b'].flatMap((owner) =>
      [1n, 2n].map((id) => store.create(owner, newPlant({ id, name: 'x' }))),
    );
    const [locked, ...others] = await Promise.allSettled(creates);
    t.match(locked, { status: 'rejected', reason: endedByTime });
    for (const other of others) t.equal(other.status, 'fulfilled');
    await holder.query('ROLLBACK');
    t.equal(await store.find('a', 1n), undefined);
  },
);

t.test(
  'creates that share a statement with one that waits for an uncommitted row do not wait for it',
  together,
  async (t) => {
    const { url, store, holder } = await startStore(t, 600_000);
    await holder.query(`BEGIN; ${insertPlants("VALUES ('a', 1, 'uncommitted')")}`);
    const [locked, ...others] = ['a', 'b'].flatMap((owner) =>
      [1n, 2n].map((id) => store.create(owner, newPlant({ id, name: 'x' }))),
    );
    t.same(await Promise.all(others), Array(3).fill(storedPlant({ name: 'x' })));
    await untilLocked(url, 1, locked);
    await holder.query('ROLLBACK');
    t.same(await locked, storedPlant({ name: 'x' }), 'done once its row is free');
  },
);

t.test('tokens are looked up while all plant operations wait for a lock', together, async (t) => {
  const { url, store, database, holder } = await startStore(t, 8_000);
  const tokens = new TokenStore(database);
  await holder.query('BEGIN; LOCK TABLE plants');
  const asked: Promise<unknown>[] = [];
  for (const id of [1n, 2n, 3n, 4n]) {
    // allSettled, because a delete may not find its plant.
    const kinds = [store.create('a', newPlant({ id, name: 'x' })), store.delete('a', id), store.list('a')];
    asked.push(Promise.allSettled(kinds));
    await untilLocked(url, Math.min(3 * Number(id), 6));
  }
  // These take longer than the next statements wait, so as many as possible are in flight.
  const found = new Set();
  for (let lookups = 0; lookups < 200; lookups++) found.add(await tokens.find('00'));
  t.strictSame(found, new Set([undefined]));
  await holder.query('COMMIT');
  await Promise.all(asked);
});

t.test('an account with no more rights than the service needs deletes beside a locked row', async (t) => {
  const { url, store, holder } = await startStore(t, 600_000);
  const role = new URL(url).pathname.slice(1);
  await holder.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  t.teardown(() => holder.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  for (const { name, rights } of plantStore.neededTables)
    await holder.query(`GRANT ${rights.join(', ')} ON ${name} TO ${role}`);
  const asRole = Object.assign(new URL(url), { username: role, password: 'secret' });
  const database = new Database(asRole.href, () => {}, { statement: 600_000 });
  t.teardown(() => database.close());
  const restricted = await storeOf(database);
  for (const id of [1n, 2n, 3n]) await store.create('a', newPlant({ id, name: 'x' }));
  await holder.query("BEGIN; SELECT FROM plants WHERE owner = 'a' AND id = 1 FOR UPDATE");
  const [locked, ...others] = [1n, 2n, 3n].map((id) => restricted.delete('a', id));
  t.strictSame(await Promise.all(others), ['deleted', 'deleted']);
  await holder.query('ROLLBACK');
  t.equal(await locked, 'deleted');
});
