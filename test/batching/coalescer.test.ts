import pg from 'pg';
import t, { type Test } from 'tap';
import { BatchSize } from '../../src/batching/batch-size.js';
import { Coalescer } from '../../src/batching/coalescer.js';
import {
  DatabaseUnavailableError,
  OutcomeUnknownError,
  OverloadError,
  RefusedStatementError,
  RolledBackError,
} from '../../src/database-errors.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/database.js';
import { until } from '../support/process.js';

/** Divides 100 by each number in PostgreSQL, and records the batches. */
async function startDividing(
  t: Test,
  options: { url?: string; sizeOf?: number; turnMs?: number; maxWaitMs?: number } = {},
) {
  const database = new Database(options.url ?? (await makeDatabase(t)), () => {});
  t.teardown(() => database.close());
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
    sizeOf: () => options.sizeOf ?? 4,
    ...(options.turnMs !== undefined && { turnMs: options.turnMs }),
    maxWaitMs: options.maxWaitMs ?? Number.POSITIVE_INFINITY,
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

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds: longer than any statement takes, also on a slow machine. */
const endlessTurn = 600_000;

/** Items whose values do not matter. */
const ones = (length: number): number[] => Array.from({ length }, () => 1);

/** So that the coalescer knows its database. */
async function warmUp({ coalescer, batches }: Awaited<ReturnType<typeof startDividing>>): Promise<void> {
  await Promise.all(ones(64).map((one) => coalescer.submit(one)));
  // One tick later, the coalescer has forgotten the previous batch.
  await turnOfTheLoop();
  batches.length = 0;
}

/** Submits `first`, submits the others while that batch is in flight, and releases it. */
async function submitDuring(
  dividing: Awaited<ReturnType<typeof startDividing>>,
  first: number[],
  others: number[],
): Promise<number[]> {
  await warmUp(dividing);
  const { coalescer, holdBatches } = dividing;
  const release = holdBatches();
  const answers = first.map((number) => coalescer.submit(number));
  for (const number of others) {
    await turnOfTheLoop();
    answers.push(coalescer.submit(number));
  }
  release();
  return Promise.all(answers);
}

t.test('few items are sent at once, in up to four batches beside each other', async (t) => {
  const { coalescer, batches, holdBatches } = await startDividing(t, { turnMs: endlessTurn });
  const release = holdBatches();
  const answers: Promise<number>[] = [];
  for (const number of [1, 2, 4, 5, 10]) {
    answers.push(coalescer.submit(number));
    await turnOfTheLoop();
  }
  t.strictSame(batches, [[1], [2], [4], [5]]);
  release();
  t.strictSame(await Promise.all(answers), [100, 50, 25, 20, 10]);
});

const sizes = (batches: number[][]) => batches.map(({ length }) => length);

t.test('items submitted while many are in flight share the next batch', async (t) => {
  const dividing = await startDividing(t, { turnMs: endlessTurn });
  await submitDuring(dividing, ones(9), [2, 4, 5]);
  t.strictSame(dividing.batches, [ones(9), [2, 4, 5]]);
});

t.test('up to 16 items share one batch, and more are split into halves', async (t) => {
  for (const [together, batches] of [
    [16, [16]],
    [17, [9, 8]],
    [64, [32, 32]],
  ] as const) {
    const dividing = await startDividing(t);
    await warmUp(dividing);
    await Promise.all(ones(together).map((one) => dividing.coalescer.submit(one)));
    t.strictSame(sizes(dividing.batches), batches);
  }
});

t.test('items answered by the previous batch count when the next one is halved', async (t) => {
  const dividing = await startDividing(t, { turnMs: endlessTurn });
  await submitDuring(dividing, ones(10), ones(30));
  // Half of 40, then half of 10 and 20, then the rest.
  t.strictSame(sizes(dividing.batches), [10, 20, 10]);
  // The count does not survive a pause.
  dividing.batches.length = 0;
  await Promise.all(ones(16).map((one) => dividing.coalescer.submit(one)));
  t.strictSame(sizes(dividing.batches), [16]);
});

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
    sizeOf: () => 1,
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
  // More than four wait for either of these.
  for (const item of ['stuck 1', 'stuck 2', 'stuck 3', 'quick']) {
    answers.push(submit(item));
    await sent(item);
  }
  answers.push(submit('next'));
  await turnOfTheLoop();
  release('quick');
  await sent('next');
  for (const item of ['stuck 1', 'stuck 2', 'stuck 3', 'next']) release(item);
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

t.test('a batch is small; it is larger if the database is far away, smaller if it is slow', async (t) => {
  const dividing = await startDividing(t, { turnMs: endlessTurn });
  await submitDuring(dividing, ones(1), ones(200));
  t.ok(sizes(dividing.batches).every((size) => size <= 200));
  const size = new BatchSize();
  t.equal(size.next(5_000), 16, 'nothing is known yet');
  const took = (milliseconds: number, items: number, idleMs = milliseconds) => {
    // The first ones could be a database that stops for a moment.
    for (let batch = 0; batch < 10; batch++) size.learn(milliseconds, idleMs, items);
  };
  took(320, 16);
  t.equal(size.next(5_000), 2, 'it may be far away, or slow for each');
  t.equal(size.waitBehind(5_000), 0, 'not known yet');
  took(1, 2);
  t.equal(size.next(5_000), 32, 'it is near');
  took(1, 32);
  t.equal(size.next(5_000), 96, 'near');
  took(20, 1);
  took(20, 1);
  took(20, 32);
  t.equal(size.next(5_000), 240, 'far away');
  took(300, 31);
  t.equal(size.next(5_000), 240, 'a small one does not tell');
  took(120, 1_000);
  t.equal(size.next(5_000), 1_000, 'as many as take 100 ms more than one');
  took(520, 1_000);
  t.equal(size.next(5_000), 200, 'as many as would take 100 ms more than one');
  took(520, 1_000, 100);
  t.equal(size.next(5_000), 208, 'a turn of the event loop less');
  took(20, 1_000, 10);
  t.equal(size.next(5_000), 240, 'Node.js itself needed most of it');
  took(20_000, 1_000);
  t.equal(size.next(5_000), 8, 'slow for each, but at least');
  took(160, 8);
  t.equal(size.next(5_000), 8);
  took(20, 8, 10);
  t.equal(size.next(5_000), 128, 'quick again, but no more than 16 times as many');
});

t.test(
  'a batch grows again after a lone item that waited for a lock, or a database that moved',
  async (t) => {
    const size = new BatchSize();
    const took = (milliseconds: number, items: number) => size.learn(milliseconds, milliseconds, items);
    took(10, 1);
    took(3_000, 1);
    took(210, 20);
    t.equal(size.next(5_000), 10, 'the lock is not what the database takes');
    for (let batch = 0; batch < 20; batch++) took(200, 1);
    took(210, 10);
    t.equal(size.next(5_000), 100, 'the database is far away now');
  },
);

t.test('a database that stopped for a moment is quick again after the next batch', async (t) => {
  const size = new BatchSize();
  size.learn(1, 1, 1);
  for (let batch = 0; batch < 10; batch++) size.learn(2, 2, 96);
  // All that are in flight meet it.
  for (let batch = 0; batch < 2; batch++) size.learn(2_000, 2_000, 96);
  size.learn(2, 2, size.next(960));
  t.equal(size.next(960), 96);
  t.ok(size.waitBehind(960) < 200);
});

t.test('more batches run at the same time if the database is far away', async (t) => {
  const size = new BatchSize();
  t.strictSame([size.inFlight, size.turnMs], [2, 10]);
  for (let batch = 0; batch < 10; batch++) size.learn(5, 5, 32);
  t.strictSame([size.inFlight, Math.round(size.turnMs)], [5, 1]);
  for (let batch = 0; batch < 10; batch++) size.learn(24, 24, 32);
  t.strictSame([size.inFlight, Math.round(size.turnMs)], [8, 3]);
  for (let batch = 0; batch < 10; batch++) size.learn(20, 1, 32);
  t.strictSame([size.inFlight, size.turnMs], [2, 10], 'most of that time, Node.js was busy itself');
  for (let batch = 0; batch < 10; batch++) size.learn(110, 1, 32);
  t.equal(size.inFlight, 8, 'no three turns of the event loop are so long');
});

t.test('the wait follows from what batches took lately', async (t) => {
  const size = new BatchSize();
  const took = (milliseconds: number, times = 1) => {
    for (let time = 0; time < times; time++) size.learn(milliseconds, milliseconds, 96);
  };
  size.learn(1, 1, 1);
  took(2, 10);
  t.equal(size.waitBehind(95), 0, 'the next batch takes it');
  t.equal(Math.round(size.waitBehind(960)), 10);
  took(2_000);
  took(2);
  t.ok(size.waitBehind(960) < 20, 'a database that stops for a moment is not slow');
  took(0, 10);
  took(100, 10);
  t.ok(size.waitBehind(4_800) > 200, 'one that stays slow is');
});

t.test('an owner with many items does not delay one of another owner', async (t) => {
  const { coalescer, batches, holdBatches } = await startDividing(t);
  const release = holdBatches();
  const answers = ones(1_000).map((one) => coalescer.submit(one, 'greedy'));
  // The second goes when the first has used up its turn.
  await until('two batches are in flight', () => batches.length === 2);
  answers.push(coalescer.submit(2, 'quiet'));
  release();
  await Promise.all(answers);
  t.equal(
    batches.findIndex((batch) => batch.includes(2)),
    2,
  );
});

t.test('items that would wait too long are refused, and later ones are not', async (t) => {
  const { coalescer } = await startDividing(t, { maxWaitMs: 0 });
  const answers = await Promise.allSettled(ones(1_000).map(() => coalescer.submit(1, 'greedy')));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  t.ok(refused.length > 0 && refused.length < 1_000);
  t.ok(refused.every((error) => error instanceof OverloadError));
  t.equal(await coalescer.submit(1, 'greedy'), 100);
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

t.test('the queue is bounded in items and in bytes, and refuses at once if it is full', async (t) => {
  for (const { sizeOf, fits } of [
    { sizeOf: 1, fits: 5_000 },
    { sizeOf: 2 ** 20, fits: 16 },
  ]) {
    const { coalescer, holdBatches } = await startDividing(t, { sizeOf });
    const release = holdBatches();
    const answers = Array.from({ length: fits }, () => coalescer.submit(1));
    await t.rejects(coalescer.submit(1), OverloadError);
    // Bytes are everybody's.
    if (sizeOf > 1) await t.rejects(coalescer.submit(1, 'another owner'), OverloadError);
    release();
    await Promise.all(answers);
    t.equal(await coalescer.submit(1), 100, 'there is room again');
  }
});

t.test('if the connection breaks during a batch, its outcome is unknown', async (t) => {
  const url = await makeDatabase(t);
  const database = new Database(url, () => {});
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(async () => {
    await client.end();
    await database.close();
  });
  const coalescer = new Coalescer<string, string>({
    name: 'test',
    async run(texts) {
      await database.query({ text: 'SELECT pg_sleep(60)' });
      return texts;
    },
    sizeOf: () => 1,
  });
  const answers = Promise.all(
    ['x', 'y'].map((text) => t.rejects(coalescer.submit(text), OutcomeUnknownError)),
  );
  await until('it is cut', async () => {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
    );
    return rowCount;
  });
  await answers;
});

/** A batch of 0 to 5 is rolled back as a whole; alone, those of `locked` wait until the test fails them. */
function startLocking(locked: readonly number[], failure: Error = new RolledBackError('cancelled again')) {
  const alone: number[] = [];
  const waiting: (() => void)[] = [];
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(numbers) {
      const [number = 0, ...others] = numbers;
      if (others.length > 0) throw new RolledBackError('cancelled');
      alone.push(number);
      if (!locked.includes(number)) return numbers;
      await new Promise<void>((resolve) => waiting.push(resolve));
      throw failure;
    },
    sizeOf: () => 1,
  });
  const answers = [0, 1, 2, 3, 4, 5].map((number) => coalescer.submit(number));
  return { answers, alone, waiting };
}

t.test('an item that waits for a lock delays no other of its batch', async () => {
  const { answers, waiting } = startLocking([0]);
  const [locked, ...others] = answers;
  t.strictSame(await Promise.all(others), [1, 2, 3, 4, 5]);
  waiting[0]?.();
  await t.rejects(locked as Promise<number>, RolledBackError);
});

t.test('if several items of a batch wait for locks, two connections wait, and the rest fail', async (t) => {
  const { answers, alone, waiting } = startLocking([0, 1]);
  const ended = Promise.allSettled(answers);
  await until('two wait', () => waiting.length === 2);
  t.strictSame(alone, [0, 1]);
  waiting[1]?.();
  waiting[0]?.();
  const [, , ...rest] = await ended;
  for (const answer of rest) t.match(answer, { status: 'rejected', reason: { message: /cancelled again/ } });
  t.strictSame(alone, [0, 1], 'they were not run again');
});

t.test(
  'if the database is lost while items run alone, nothing is said of those that were not run',
  async (t) => {
    const { answers, alone, waiting } = startLocking([0, 1], new OutcomeUnknownError('lost'));
    const ended = Promise.allSettled(answers);
    await until('two wait', () => waiting.length === 2);
    for (const lose of waiting) lose();
    const reasons = (await ended).map((answer) => (answer.status === 'rejected' ? answer.reason : undefined));
    t.strictSame(
      reasons.map((reason) => [
        reason instanceof DatabaseUnavailableError,
        reason instanceof OutcomeUnknownError,
      ]),
      [...Array(2).fill([true, true]), ...Array(4).fill([true, false])],
    );
    t.strictSame(alone, [0, 1]);
  },
);

t.test('a statement that PostgreSQL refuses for any item is sent once', async (t) => {
  const url = await makeDatabase(t);
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  let statements = 0;
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(numbers) {
      statements++;
      await database.query({ text: 'SELECT * FROM no_such_table' });
      return numbers;
    },
    sizeOf: () => 1,
  });
  await Promise.all([1, 2, 3].map((item) => t.rejects(coalescer.submit(item), RefusedStatementError)));
  t.equal(statements, 1);
});

t.test('a batch that the database cannot do in time is followed by a smaller one', async (t) => {
  const batches: number[] = [];
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(numbers) {
      batches.push(numbers.length);
      if (numbers.length > 10) throw new RolledBackError('cancelled');
      return numbers;
    },
    sizeOf: () => 1,
  });
  await Promise.all(Array.from({ length: 50 }, (_, item) => coalescer.submit(item)));
  t.strictSame(batches.filter((length) => length > 1).slice(0, 2), [16, 8]);

  const size = new BatchSize();
  size.learn(1, 1, 1);
  for (let batch = 0; batch < 10; batch++) size.learn(2, 2, 96);
  t.equal(size.next(5_000), 96);
  size.timedOut(96);
  t.equal(size.next(5_000), 8);
  size.learn(800, 800, 8);
  t.equal(size.next(5_000), 8, 'each item takes 100 ms');
  size.learn(2, 2, 8);
  t.equal(size.next(5_000), 96, 'one had waited for a lock');
});
