/** What becomes of the items of a batch that fails. */
import pg from 'pg';
import t from 'tap';
import { Coalescer } from '../../src/batching/coalescer.js';
import { FailedItems } from '../../src/batching/failed-batch.js';
import {
  DatabaseUnavailableError,
  OutcomeUnknownError,
  RefusedStatementError,
  RolledBackError,
  WaitedTooLongError,
} from '../../src/errors/database.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/database.js';
import { until } from '../support/process.js';

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

/** A batch of these numbers is rolled back as a whole; alone, those of `locked` wait until the test fails them. */
function startLocking(
  locked: readonly number[],
  failure: Error = new RolledBackError('cancelled again'),
  numbers = [0, 1, 2, 3, 4, 5],
) {
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
  const submit = (number: number) => coalescer.submit(number);
  return { answers: numbers.map(submit), alone, waiting, submit };
}

t.test('an item that waits for a lock delays no other of its batch', async () => {
  const { answers, waiting } = startLocking([0]);
  const [locked, ...others] = answers;
  t.strictSame(await Promise.all(others), [1, 2, 3, 4, 5]);
  waiting[0]?.();
  await t.rejects(locked as Promise<number>, RolledBackError);
});

t.test('of a batch of two, too', async () => {
  const { answers, waiting } = startLocking([0], undefined, [0, 1]);
  const [locked, other] = answers;
  t.equal(await other, 1);
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

t.test('of several batches, too, two connections wait', async (t) => {
  const { answers, alone, waiting, submit } = startLocking([0, 1, 6, 7]);
  const ended = Promise.allSettled(answers);
  await until('two wait', () => waiting.length === 2);
  const more = Promise.allSettled([6, 7, 8].map(submit));
  // Another batch, which is answered after theirs has failed.
  await new Promise((resolve) => setImmediate(resolve));
  await submit(9);
  t.strictSame(alone.slice(0, 2), [0, 1]);
  t.notOk(
    alone.some((number) => [6, 7, 8].includes(number)),
    'they wait for those',
  );
  for (const fail of waiting.splice(0)) fail();
  for (const answer of await ended) t.equal(answer.status, 'rejected');
  await until('two of the next batch wait', () => waiting.length === 2);
  for (const fail of waiting) fail();
  for (const answer of await more) t.equal(answer.status, 'rejected');
  t.equal(await submit(8), 8);
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

t.test('an item that has waited too long is refused, and those after it run', async (t) => {
  const ran: number[] = [];
  const refused: unknown[] = [];
  await new Promise<void>((onFree) => {
    const failed = new FailedItems<{ id: number; since: number; reject(error: unknown): void }>(
      async ({ id }) => {
        ran.push(id);
      },
      onFree,
      60_000,
    );
    const since = performance.now();
    const reject = (error: unknown) => refused.push(error);
    void failed.add([
      { id: 1, since: since - 60_000, reject },
      { id: 2, since, reject },
    ]);
  });
  t.strictSame(ran, [2]);
  t.match(refused, [WaitedTooLongError]);
  t.equal(refused.length, 1);
});

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
});
