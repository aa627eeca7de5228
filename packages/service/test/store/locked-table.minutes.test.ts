import pg from 'pg';
import t, { type Test } from 'tap';
import { until } from '../../../kit/testing.js';
import { ServiceUnavailableError } from '../../src/errors/unavailable.js';
import { events } from '../../src/observability/events.js';
import { newPlant, storedPlant } from '../support/plants.js';
import { openStore } from '../support/store.js';

/** Another transaction holds the table for as long as it likes, as a migration or CREATE INDEX may. */

async function startLocked(t: Test, mode: string, timeoutMs?: number) {
  const { url, database, store } = await openStore(t, timeoutMs);
  await store.create('reader', newPlant({ id: 1n, name: 'x' }));
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query(`BEGIN; LOCK TABLE plants IN ${mode} MODE`);
  return { store, database, holder };
}

/** The statement timeout in milliseconds, for tables that are not unlocked in time. */
const patience = 5_000;
const ids = Array.from({ length: 1_000 }, (_, id) => BigInt(id));

t.test('a table that is locked for 5 s refuses nobody, although more come all the time', async (t) => {
  const { store, holder } = await startLocked(t, 'ACCESS EXCLUSIVE');
  const creates: Promise<unknown>[] = [];
  const lists: Promise<unknown>[] = [];
  const arrivals = setInterval(() => {
    for (const id of ids.slice(0, 10)) {
      const owner = `owner ${id % 16n}`;
      creates.push(store.create(owner, newPlant({ id: BigInt(creates.length), name: 'x' })));
    }
    lists.push(store.list('reader'));
  }, 50);
  await holder.query('SELECT pg_sleep(5); COMMIT');
  clearInterval(arrivals);
  t.ok(creates.length > 50);
  t.notOk((await Promise.all(creates)).includes('conflict'));
  for (const list of await Promise.all(lists)) t.strictSame(list, [storedPlant({ name: 'x' })]);
});

t.test('all of many creates are answered while it is locked, and none is carried out later', async (t) => {
  const { store, holder } = await startLocked(t, 'ACCESS EXCLUSIVE', patience);
  const answers = await Promise.allSettled(ids.map((id) => store.create('a', newPlant({ id, name: 'x' }))));
  for (const answer of answers) {
    t.ok(answer.status === 'rejected' && answer.reason instanceof ServiceUnavailableError);
  }
  await holder.query('ROLLBACK');
  t.strictSame(await store.list('a'), []);
  t.ok(await store.create('a', newPlant({ id: 1n, name: 'x' })));
});

t.test(
  'lists are read while creates and deletes wait, and others come when the first are rolled back',
  async (t) => {
    const { store, database } = await startLocked(t, 'SHARE', patience);
    let failed = 0;
    const count = () => failed++;
    events.on('databaseFailed', count);
    t.teardown(() => events.off('databaseFailed', count));
    /** More than all that can be in flight. */
    const fill = (owner: string) =>
      ids.flatMap((id) => [store.create(owner, newPlant({ id, name: 'x' })), store.delete(owner, id)]);
    const answers = [Promise.allSettled(fill('a'))];
    await until('some are rolled back', () => failed > 0);
    answers.push(Promise.allSettled(fill('b')));
    t.equal(database.connections.waiting, 0, 'no statement waits for a connection');
    t.strictSame(await store.list('reader'), [storedPlant({ name: 'x' })]);
    const outcomes = (await Promise.all(answers)).flat().map(({ status }) => status);
    t.strictSame(new Set(outcomes), new Set(['rejected']));
  },
);
