import pg from 'pg';
import t, { type Test } from 'tap';
import { Coalescer } from '../../src/batching/coalescer.js';
import { OutcomeUnknownError, OverloadError } from '../../src/database-errors.js';
import type { Cluster } from '../../src/embedded-postgres/cluster.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/database.js';
import { startOwnPostgres } from '../support/own-postgres.js';
import { until } from '../support/process.js';

/** Divides 100 by each number, in PostgreSQL, and keeps the batches that it was given. */
async function startDividing(
  t: Test,
  options: { url?: string; sizeOf?: number; repeatable?: boolean; turnMs?: number } = {},
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
    repeatable: options.repeatable ?? true,
  });
  /** Makes every batch wait from now on, until the returned function is called. */
  const holdBatches = () => {
    let release = () => {};
    hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    return release;
  };
  return { coalescer, batches, holdBatches };
}

t.test('a lone item goes at once, and alone', async (t) => {
  const { coalescer, batches } = await startDividing(t);
  t.equal(await coalescer.submit(5), 20);
  t.strictSame(batches, [[5]]);
});

t.test('items that come at the same moment share a statement, and each gets its own answer', async (t) => {
  const { coalescer, batches } = await startDividing(t);
  t.strictSame(
    await Promise.all([1, 2, 4, 5, 2].map((number) => coalescer.submit(number))),
    [100, 50, 25, 20, 50],
  );
  t.strictSame(batches, [[1, 2, 4, 5, 2]]);
});

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds. So long a turn is never over before its statement, however slow the machine. */
const endlessTurn = 600_000;

/** Holds a statement for `first`, submits the others while it is under way, and lets go. */
async function submitDuring(
  { coalescer, batches, holdBatches }: Awaited<ReturnType<typeof startDividing>>,
  first: number[],
  others: number[],
): Promise<number[]> {
  await coalescer.submit(1);
  // Nobody has been in a statement before.
  await turnOfTheLoop();
  const release = holdBatches();
  batches.length = 0;
  const answers = first.map((number) => coalescer.submit(number));
  for (const number of others) {
    await turnOfTheLoop();
    answers.push(coalescer.submit(number));
  }
  release();
  return Promise.all(answers);
}

t.test('what comes while a statement is under way shares the next', async (t) => {
  const dividing = await startDividing(t, { turnMs: endlessTurn });
  t.strictSame(await submitDuring(dividing, [1], [2, 4, 5]), [100, 50, 25, 20]);
  t.strictSame(dividing.batches, [[1], [2, 4, 5]]);
});

/** So many that say nothing. */
const ones = (length: number): number[] => Array.from({ length }, () => 1);
const sizes = (batches: number[][]) => batches.map(({ length }) => length);

t.test('a few share one statement, many take turns by halves', async (t) => {
  for (const [together, batches] of [
    [16, [16]],
    [17, [9, 8]],
    [64, [32, 32]],
  ] as const) {
    const dividing = await startDividing(t);
    await Promise.all(ones(together).map((one) => dividing.coalescer.submit(one)));
    t.strictSame(sizes(dividing.batches), batches);
  }
});

t.test('who was in the statement before counts as one who comes again', async (t) => {
  const dividing = await startDividing(t, { turnMs: endlessTurn });
  await submitDuring(dividing, ones(10), ones(30));
  // Half of 40, then half of 10 and 20, and what is left.
  t.strictSame(sizes(dividing.batches), [10, 20, 10]);
  // But not after a pause.
  dividing.batches.length = 0;
  await Promise.all(ones(16).map((one) => dividing.coalescer.submit(one)));
  t.strictSame(sizes(dividing.batches), [16]);
});

/** Says in which order queries are sent and answers are given, where a query is sent as late as pg-pool does it. */
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
    repeatable: true,
  });
  const submit = async (item: string) => {
    await coalescer.submit(item);
    events.push(`answered ${item}`);
  };
  const sent = (items: string) => until(`${items} is sent`, () => events.includes(`sent ${items}`));
  return { events, submit, sent, release: (items: string) => releases.get(items)?.() };
}

t.test('answers go out before the next statement, and wait for no other one', async (t) => {
  const { events, submit, sent, release } = startWatching();
  // The turn of one is over soon, and the next goes beside it; the third waits for one of the two.
  const answers = [submit('stuck')];
  await sent('stuck');
  answers.push(submit('quick'));
  await sent('quick');
  answers.push(submit('next'));
  await turnOfTheLoop();
  release('quick');
  await sent('next');
  release('stuck');
  release('next');
  await Promise.all(answers);
  t.strictSame(events.slice(0, 4), ['sent stuck', 'sent quick', 'answered quick', 'sent next']);
});

t.test('one that takes long holds nobody up; at most two are under way', async (t) => {
  const [first, second] = [await startDividing(t), await startDividing(t)];
  const releases = [first.holdBatches(), second.holdBatches()];
  const answers: Promise<number>[] = [];
  for (const [begun, number] of [1, 2].entries()) {
    answers.push(first.coalescer.submit(number));
    await until('it has begun', () => first.batches.length === begun + 1);
  }
  answers.push(first.coalescer.submit(10), first.coalescer.submit(20));
  // In the same time, another one goes on.
  for (const begun of [1, 2]) {
    answers.push(second.coalescer.submit(50));
    await until('it has begun', () => second.batches.length === begun);
  }
  for (const release of releases) release();
  t.strictSame(await Promise.all(answers), [100, 50, 10, 5, 2, 2]);
  t.strictSame(first.batches, [[1], [2], [10, 20]]);
});

t.test('a batch has at most a thousand items', async (t) => {
  const { coalescer, batches } = await startDividing(t);
  await Promise.all(Array.from({ length: 2_500 }, () => coalescer.submit(1)));
  t.strictSame(
    batches.map(({ length }) => length),
    [1_000, 1_000, 500],
  );
});

t.test('an item that fails its statement fails alone', async (t) => {
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

t.test('the queue is bounded in number and in bytes, and refuses at once', async (t) => {
  for (const { sizeOf, fits } of [
    { sizeOf: 1, fits: 10_000 },
    { sizeOf: 2 ** 20, fits: 16 },
  ]) {
    const { coalescer, holdBatches } = await startDividing(t, { sizeOf });
    const release = holdBatches();
    const answers = Array.from({ length: fits }, () => coalescer.submit(1));
    await t.rejects(coalescer.submit(1), OverloadError);
    release();
    await Promise.all(answers);
    t.equal(await coalescer.submit(1), 100, 'there is room again');
  }
});

/** A statement that has begun, and whose connection is then cut by the database's operator. */
async function cutConnection(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await until('it is cut', async () => {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
    );
    return rowCount;
  });
  await client.end();
}

/** Sleeps in its first run until its connection is cut, and answers in the second. */
async function startSleeping(t: Test, url: string, repeatable: boolean, then = 'SELECT 1') {
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  let runs = 0;
  return new Coalescer<string, string>({
    name: 'test',
    async run(texts) {
      runs++;
      await database.query({ text: runs === 1 ? 'SELECT pg_sleep(60)' : then });
      return texts.map((text) => `${text} in run ${runs}`);
    },
    sizeOf: () => 1,
    repeatable,
  });
}

t.test(
  'where the connection is lost midway, what is repeatable is settled by running it again',
  async (t) => {
    const url = await makeDatabase(t);
    const coalescer = await startSleeping(t, url, true);
    const answer = coalescer.submit('answered');
    await cutConnection(url);
    t.equal(await answer, 'answered in run 2');
  },
);

t.test('where the connection is lost midway, and the database then refuses, it stays unknown', async (t) => {
  const url = await makeDatabase(t);
  const coalescer = await startSleeping(t, url, true, 'SELECT 1 / 0');
  const answer = t.rejects(coalescer.submit('x'), OutcomeUnknownError);
  await cutConnection(url);
  await answer;
});

t.test('where the connection is lost midway, what is not repeatable is unknown', async (t) => {
  const url = await makeDatabase(t);
  const coalescer = await startSleeping(t, url, false);
  const answer = t.rejects(coalescer.submit('x'), OutcomeUnknownError);
  await cutConnection(url);
  await answer;
});

/** Stops the PostgreSQL under a statement that is under way. */
async function stopMidway(cluster: Cluster): Promise<void> {
  const client = await cluster.connect();
  await until('it is under way', async () => {
    const { rowCount } = await client.query("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    return rowCount;
  });
  await cluster.stop();
}

t.test('an unknown outcome is inquired into until the database is back, but not for ever', async (t) => {
  const cluster = await startOwnPostgres(t);
  const [settled, unsettled] = [
    await startSleeping(t, cluster.url, true),
    await startSleeping(t, cluster.url, true),
  ];

  const answer = settled.submit('answered');
  await stopMidway(cluster);
  await cluster.start();
  t.match(await answer, /^answered in run \d+$/);

  const { coalescer } = await startDividing(t, { url: cluster.url });
  t.equal(await coalescer.submit(4), 25);
  const refused = t.rejects(unsettled.submit('x'), OutcomeUnknownError);
  await stopMidway(cluster);
  await t.rejects(coalescer.submit(4), { name: 'DatabaseUnavailableError' }, 'known not to be run');
  await refused;
});
