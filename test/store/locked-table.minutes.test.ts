import pg from 'pg';
import t, { type Test } from 'tap';
import { newPlant, storedPlant } from '../../scripts/kit/plants.js';
import { DatabaseUnavailableError } from '../../src/errors/database.js';
import { events } from '../../src/observability/events.js';
import { until } from '../support/process.js';
import { openStore } from '../support/store.js';

/** Another transaction holds the table for as long as it likes, as a migration or CREATE INDEX may. */

/** The statement timeout in milliseconds. */
const patience = 2_000;

async function startLocked(t: Test, mode: string) {
  const { url, database, store } = await openStore(t, patience);
  await store.create('reader', newPlant({ id: 1n, name: 'x' }));
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query(`BEGIN; LOCK TABLE plants IN ${mode} MODE`);
  return { store, database, holder };
}

t.test('all of many creates are answered while it is locked, and none is carried out later', async (t) => {
  const { store, holder } = await startLocked(t, 'ACCESS EXCLUSIVE');
  let batches = 0;
  const count = () => batches++;
  events.on('batchBegan', count);
  t.teardown(() => events.off('batchBegan', count));
  const ids = Array.from({ length: 1_000 }, (_, id) => BigInt(id));
  const answers = await Promise.allSettled(ids.map((id) => store.create('a', newPlant({ id, name: 'x' }))));
  for (const answer of answers) {
    t.ok(answer.status === 'rejected' && answer.reason instanceof DatabaseUnavailableError);
  }
  t.ok(batches < ids.length / 2, `${batches} batches: most were refused without one`);
  await holder.query('ROLLBACK');
  t.strictSame(await store.list('a'), []);
  t.ok(await store.create('a', newPlant({ id: 1n, name: 'x' })));
});

t.test('lists are read while creates and deletes wait, also those that are tried again alone', async (t) => {
  const { store, database } = await startLocked(t, 'SHARE');
  let begun = 0;
  let ended = 0;
  const counters = { batchBegan: () => begun++, batchEnded: () => ended++ };
  events.on('batchBegan', counters.batchBegan).on('batchEnded', counters.batchEnded);
  t.teardown(() => events.off('batchBegan', counters.batchBegan).off('batchEnded', counters.batchEnded));
  const answers: Promise<string>[] = [];
  const outcomeOf = (answer: Promise<unknown>) =>
    answer.then(
      () => 'done',
      () => 'refused',
    );
  /** So few items go in up to four batches of a kind, here in pairs. */
  const fill = async (owner: string) => {
    for (let pair = 1; pair <= 4; pair++) {
      for (const id of [1n, 2n]) {
        answers.push(
          outcomeOf(store.create(owner, newPlant({ id: BigInt(pair) * 10n + id, name: 'x' }))),
          outcomeOf(store.delete(owner, BigInt(pair) * 10n + id)),
        );
      }
      await until(`${2 * pair} batches run`, () => begun === 2 * pair);
    }
  };
  await fill('a');
  await until('all are rolled back', () => ended === 8);
  begun = 0;
  await fill('b');
  t.equal(database.connections.waiting, 0, 'no statement waits for a connection');
  t.strictSame(await store.list('reader'), [storedPlant({ name: 'x' })]);
  t.strictSame(new Set(await Promise.all(answers)), new Set(['refused']));
});
