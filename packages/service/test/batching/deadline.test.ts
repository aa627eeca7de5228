/** An item has as long as `timeoutMs` from its submission on: in the queue, in its batch and alone. */
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { until } from '../../../kit/testing.js';
import { Coalescer } from '../../src/batching/coalescer.js';
import { NotSentError, OutcomeUnknownError, RolledBackError } from '../../src/errors/database.js';
import { beforeDeadline, millisecondsUntil } from '../../src/errors/late.js';
import { WaitedTooLongError } from '../../src/errors/overloads.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/postgres/database.js';
import { TestClock } from '../support/test-clock.js';

t.test(
  'a batch has until the time of its oldest item is over, and so has each of its items alone',
  async (t) => {
    const timeoutMs = 60_000;
    const clock = new TestClock();
    const runs: { items: readonly number[]; deadline: number }[] = [];
    const coalescer = new Coalescer<number, number>({
      name: 'test',
      async run(items, deadline) {
        runs.push({ items, deadline });
        if (items.length > 1) throw new RolledBackError('cancelled');
        return items;
      },
      timeoutMs,
      clock,
    });
    const first = coalescer.submit(1);
    const oldest = clock.now() + timeoutMs;
    clock.pass(500);
    await Promise.all([first, coalescer.submit(2)]);
    t.strictSame(
      runs.map(({ items }) => items),
      [[1, 2], [1], [2]],
    );
    t.strictSame(
      runs.map(({ deadline }) => deadline - oldest),
      [0, 0, 500],
    );
  },
);

t.test('the time of an item counts from the arrival of its request', async (t) => {
  const deadlines: number[] = [];
  const timeoutMs = 60_000;
  const clock = new TestClock();
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(items, deadline) {
      deadlines.push(deadline);
      return items;
    },
    timeoutMs,
    clock,
  });
  const arrivedAt = clock.now() - 30_000;
  await coalescer.submit(1, 'owner', arrivedAt);
  t.strictSame(deadlines, [arrivedAt + timeoutMs]);
  await t.rejects(coalescer.submit(2, 'owner', clock.now() - timeoutMs), WaitedTooLongError);
  t.equal(deadlines.length, 1, 'one whose time is over does not run');
});

t.test('an item that was rolled back when its time was over does not run again', async (t) => {
  const runs: (readonly number[])[] = [];
  const clock = new TestClock();
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(items) {
      runs.push(items);
      clock.pass(8_000);
      throw new RolledBackError(`cancelled: ${items}`);
    },
    clock,
  });
  const answers = await Promise.allSettled([1, 2].map((item) => coalescer.submit(item)));
  t.match(answers, Array(2).fill({ reason: RolledBackError }));
  t.strictSame(runs, [[1, 2]]);
});

t.test(
  'a lone item that is rolled back runs again until its time is over, and holds up no others',
  async (t) => {
    const clock = new TestClock();
    let locked = 0;
    const coalescer = new Coalescer<number, number>({
      name: 'test',
      async run(items) {
        if (!items.includes(1)) return items;
        locked++;
        clock.pass(500);
        throw new RolledBackError('lock timeout');
      },
      clock,
    });
    const answer = coalescer.submit(1).catch((error) => error);
    t.equal(await coalescer.submit(2), 2);
    t.match(await answer, RolledBackError);
    t.equal(locked, 14, 'for 7 s');
  },
);

t.test('a lone item that is rolled back is done once it can be', async (t) => {
  let runs = 0;
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(items) {
      if (++runs < 5) throw new RolledBackError('lock timeout');
      return items;
    },
  });
  t.equal(await coalescer.submit(1), 1);
  t.equal(runs, 5);
});

t.test('an item that waits to run alone is refused when its time is over, and not later', async (t) => {
  const fails: (() => void)[] = [];
  const clock = new TestClock();
  const refused: unknown[] = [];
  const note = (error: unknown) => refused.push(error);
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(items) {
      if (items.length > 1) throw new RolledBackError('cancelled');
      await new Promise<void>((_, reject) => fails.push(() => reject(new RolledBackError('locked'))));
      return items;
    },
    clock,
  });
  const answers = Promise.allSettled([1, 2, 3].map((item) => coalescer.submit(item).catch(note)));
  await until('two run alone', () => fails.length === 2);
  clock.pass(6_900);
  await nextLoopTick();
  t.strictSame(refused, [], 'it may wait for 7 s');
  clock.pass(200);
  await until('the third is refused, although those two still run', () => refused.length === 1);
  t.match(refused, [WaitedTooLongError]);
  for (const fail of fails) fail();
  await answers;
  t.equal(fails.length, 2);
});

t.test('a statement is given up after its deadline, and may have been carried out', async (t) => {
  const url = await makeDatabase(t);
  const database = new Database(url, () => {}, { statement: 600_000, lock: 600_000 });
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(async () => {
    await holder.end();
    await database.close();
  });
  await holder.query('CREATE TABLE locked (id int)');
  await holder.query('BEGIN; LOCK TABLE locked');
  // The connection must not use up the time.
  await database.query({ text: 'SELECT 1' });
  await t.rejects(
    database.query({ text: 'INSERT INTO locked VALUES (1)', deadline: performance.now() + 5_000 }),
    OutcomeUnknownError,
  );
});

t.test('a statement whose deadline is over before it has a connection is not sent', async (t) => {
  const url = await makeDatabase(t);
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  await t.rejects(
    database.query({ text: 'CREATE TABLE made ()', deadline: performance.now() }),
    NotSentError,
  );
  t.equal((await database.query({ text: "SELECT WHERE to_regclass('made') IS NOT NULL" })).rowCount, 0);
});

// Node.js warns of the first timer of a process with less, so that only the time itself can be looked at.
t.test('of a time that is over, nothing is left, and who waits for it ends at once', async (t) => {
  const never = new Promise<never>(() => {});
  const over = performance.now() - 2_000;
  t.equal(millisecondsUntil(over), 0);
  const unknown = new OutcomeUnknownError(new Error('the answer was lost'));
  await t.rejects(
    beforeDeadline(never, over, () => unknown),
    unknown,
  );
});
