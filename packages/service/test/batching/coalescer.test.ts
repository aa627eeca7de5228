import { setImmediate as nextLoopTick } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { until } from '../../../kit/testing.js';
import { Coalescer } from '../../src/batching/coalescer.js';
import { RolledBackError } from '../../src/errors/database.js';
import { batchSlots } from '../../src/fairness/slots.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';
import { TestClock } from '../support/test-clock.js';

/** Divides 100 by each number in PostgreSQL, and records the batches. */
async function startDividing(
  t: Test,
  options: { url?: string; maxBatchSize?: number; clock?: TestClock } = {},
) {
  const { url, ...limits } = options;
  const database = openDatabase(t, url ?? (await makeDatabase(t)));
  const batches: number[][] = [];
  let hold: Promise<unknown> = Promise.resolve();
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(numbers) {
      batches.push([...numbers]);
      await hold;
      const { rows } = await database.query<{ quotient: number }>({
        text: 'SELECT 100 / number AS quotient FROM unnest($1::int[]) WITH ORDINALITY AS item (number, place) ORDER BY place',
        values: [numbers],
      });
      return rows.map(({ quotient }) => quotient);
    },
    ...limits,
  });
  /** Holds every batch from now on, until the returned function is called. */
  const holdBatches = () => {
    let release = () => {};
    hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    return release;
  };
  return { coalescer, batches, holdBatches };
}

t.test('a single item is sent at once in a batch of its own', async (t) => {
  const { coalescer, batches } = await startDividing(t);
  t.equal(await coalescer.submit(5), 20);
  t.strictSame(batches, [[5]]);
});

t.test('items submitted in one event loop tick share a batch, and each gets its own result', async (t) => {
  const { coalescer, batches } = await startDividing(t);
  t.strictSame(
    await Promise.all([1, 2, 4, 5, 2].map((number) => coalescer.submit(number))),
    [100, 50, 25, 20, 50],
  );
  t.strictSame(batches, [[1, 2, 4, 5, 2]]);
});

t.test('batches of one stay batches of one, also for an owner whose item has failed', async (t) => {
  const { coalescer, batches } = await startDividing(t, { maxBatchSize: 1 });
  await t.rejects(coalescer.submit(0, 'a'));
  t.strictSame(await Promise.all([1, 2, 4].map((number) => coalescer.submit(number, 'a'))), [100, 50, 25]);
  t.strictSame(batches, [[0], [1], [2], [4]]);
});

/** Items whose values do not matter. */
const ones = (length: number): number[] => Array.from({ length }, () => 1);

/** Records the order of sends and answers; a query is sent as late as pg-pool sends it. */
function startWatching() {
  const events: string[] = [];
  const releases = new Map<string, () => void>();
  const coalescer = new Coalescer<string, string>({
    name: 'test',
    async run(items) {
      process.nextTick(() => events.push(`sent ${items}`));
      await new Promise<void>((resolve) => releases.set(String(items), resolve));
      return items;
    },
  });
  const submit = async (item: string) => {
    await coalescer.submit(item);
    events.push(`answered ${item}`);
  };
  const sent = (items: string) => until(`${items} is sent`, () => events.includes(`sent ${items}`));
  return { events, submit, sent, release: (items: string) => releases.get(items)?.() };
}

t.test('a batch delivers its results before the next one is sent, and waits for no other', async (t) => {
  const { events, submit, sent, release } = startWatching();
  const answers: Promise<void>[] = [];
  const all = ['stuck 1', 'stuck 2', 'stuck 3', 'quick'];
  for (const item of all) {
    answers.push(submit(item));
    await sent(item);
  }
  release('quick');
  answers.push(submit('next'));
  await sent('next');
  for (const item of [...all, 'next']) release(item);
  await Promise.all(answers);
  t.strictSame(events.slice(3, 6), ['sent quick', 'answered quick', 'sent next']);
});

t.test('a slow batch delays no other items', async (t) => {
  const [first, second] = [await startDividing(t), await startDividing(t)];
  const releases = [first.holdBatches(), second.holdBatches()];
  const answers: Promise<number>[] = [];
  for (const [begun, number] of [1, 2].entries()) {
    answers.push(first.coalescer.submit(number));
    await until('it has begun', () => first.batches.length === begun + 1);
  }
  answers.push(first.coalescer.submit(10), first.coalescer.submit(20));
  // Another coalescer continues in the meantime.
  for (const begun of [1, 2]) {
    answers.push(second.coalescer.submit(50));
    await until('it has begun', () => second.batches.length === begun);
  }
  for (const release of releases) release();
  t.strictSame(await Promise.all(answers), [100, 50, 10, 5, 2, 2]);
  t.strictSame(first.batches, [[1], [2], [10, 20]]);
});

t.test('an owner with many items does not delay one of another owner', async (t) => {
  const { coalescer, batches, holdBatches } = await startDividing(t);
  const release = holdBatches();
  const answers = ones(1_000).map((one) => coalescer.submit(one, 'greedy'));
  await until('no more run at the same time', () => batches.length === 8);
  answers.push(coalescer.submit(2, 'quiet'));
  release();
  await Promise.all(answers);
  t.equal(
    batches.findIndex((batch) => batch.includes(2)),
    8,
  );
});

t.test('an item that makes its batch fail is the only one that fails', async (t) => {
  const { coalescer } = await startDividing(t);
  const answers = await Promise.allSettled([1, 0, 4, 0, 5].map((number) => coalescer.submit(number)));
  t.match(answers, [
    { value: 100 },
    { reason: { code: '22012', message: 'division by zero' } },
    { value: 25 },
    { reason: { code: '22012' } },
    { value: 20 },
  ]);
});

t.test('what waits too long behind batches that are stuck is refused, and nothing else', async (t) => {
  const clock = new TestClock();
  const { coalescer, batches, holdBatches } = await startDividing(t, { clock, maxBatchSize: 2 });
  const release = holdBatches();
  const answers = Array.from({ length: 50 }, (_, index) => coalescer.submit(index + 1));
  await until('as many batches as may are stuck', () => {
    clock.pass(2);
    return batches.length === 8;
  });
  clock.pass(7_000);
  const refused = await Promise.allSettled(answers.slice(16));
  for (const answer of refused) t.match(answer, { reason: { name: 'WaitedTooLongError' } });
  release();
  t.equal((await Promise.all(answers.slice(0, 16))).length, 16);
  t.equal(await coalescer.submit(5), 20);
  t.strictSame(
    batches.map(({ length }) => length),
    [2, 2, 2, 2, 2, 2, 2, 2, 1],
  );
});

t.test('an item is run once others leave the connections, also while another item waits alone', async (t) => {
  const batches = batchSlots();
  const others = {};
  let runs = 0;
  let unlock: (() => void) | undefined;
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    batches,
    async run(items) {
      if (!items.includes(1)) return items;
      if (++runs === 1) throw new RolledBackError('lock timeout');
      await new Promise<void>((resolve) => {
        unlock = resolve;
      });
      return items;
    },
  });
  const locked = coalescer.submit(1);
  await until('it waits alone', () => unlock !== undefined);
  batches.forceAcquire(others, 17);
  const next = coalescer.submit(2);
  await nextLoopTick();
  await nextLoopTick();
  batches.release(others, 17);
  t.equal(await next, 2);
  unlock?.();
  t.equal(await locked, 1);
});
