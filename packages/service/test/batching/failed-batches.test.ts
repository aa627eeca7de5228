/** What becomes of the items of a batch that fails. */
import pg from 'pg';
import t from 'tap';
import { until } from '../../../kit/testing.js';
import { Coalescer } from '../../src/batching/coalescer.js';
import { OutcomeUnknownError, RefusedStatementError, RolledBackError } from '../../src/errors/database.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/postgres/database.js';
import { TestClock } from '../support/test-clock.js';

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

/**
 * A batch of these numbers is rolled back as a whole. Alone, those of `locked` wait until the test fails them, and
 * are not locked any more.
 */
function startLocking(
  lockedNumbers: readonly number[],
  failure: Error = new RolledBackError('lock timeout'),
  numbers = [0, 1, 2, 3, 4, 5],
) {
  const locked = new Set(lockedNumbers);
  const alone: number[] = [];
  const waiting: (() => void)[] = [];
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(numbers) {
      const [number = 0, ...others] = numbers;
      if (others.length > 0) throw new RolledBackError('cancelled');
      alone.push(number);
      if (!locked.delete(number)) return numbers;
      await new Promise<void>((resolve) => waiting.push(resolve));
      throw failure;
    },
  });
  const submit = (number: number) => coalescer.submit(number);
  return { answers: numbers.map(submit), alone, waiting, submit };
}

t.test('an item that waits for a lock delays no other of its batch', async () => {
  const { answers, waiting } = startLocking([0]);
  const [locked, ...others] = answers;
  t.strictSame(await Promise.all(others), [1, 2, 3, 4, 5]);
  waiting[0]?.();
  t.equal(await locked, 0);
});

t.test('of a batch of two, too', async () => {
  const { answers, waiting } = startLocking([0], undefined, [0, 1]);
  const [locked, other] = answers;
  t.equal(await other, 1);
  waiting[0]?.();
  t.equal(await locked, 0);
});

t.test(
  'if several items of a batch wait for locks, two connections wait, and then the rest run',
  async (t) => {
    const { answers, alone, waiting } = startLocking([0, 1]);
    await until('two wait', () => waiting.length === 2);
    t.strictSame(alone, [0, 1]);
    for (const fail of waiting) fail();
    t.strictSame(await Promise.all(answers), [0, 1, 2, 3, 4, 5]);
    t.strictSame(alone, [0, 1, 2, 3, 4, 5, 0, 1], 'those two again, after the others');
  },
);

t.test('of several batches, too, two connections wait', async (t) => {
  const { answers, alone, waiting, submit } = startLocking([0, 1, 6, 7]);
  await until('two wait', () => waiting.length === 2);
  const more = [6, 7, 8].map(submit);
  // Another batch, which is answered after theirs has failed.
  await new Promise((resolve) => setImmediate(resolve));
  await submit(9);
  t.strictSame(alone, [0, 1, 9], 'the others wait for those two');
  for (const fail of waiting.splice(0)) fail();
  await until('two of the next batch wait', () => waiting.length === 2);
  for (const fail of waiting) fail();
  t.strictSame(await Promise.all([...answers, ...more]), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

t.test('an item whose outcome is unknown is not run again, and says nothing of the others', async (t) => {
  const { answers, alone, waiting } = startLocking([0, 1], new OutcomeUnknownError('lost'));
  const ended = Promise.allSettled(answers);
  await until('two wait', () => waiting.length === 2);
  for (const lose of waiting) lose();
  const [one, two, ...rest] = await ended;
  for (const answer of [one, two]) t.match(answer, { reason: OutcomeUnknownError });
  for (const answer of rest) t.equal(answer.status, 'fulfilled');
  t.strictSame(alone, [0, 1, 2, 3, 4, 5]);
});

/** Items of two owners; a batch with a bad one fails, as with a reference that does not exist. */
function startRefusing(isBad: (number: number) => boolean) {
  const batches: string[][] = [];
  const coalescer = new Coalescer<{ owner: string; number: number }, number>({
    name: 'test',
    async run(items) {
      batches.push(items.map(({ owner, number }) => `${owner}${number}`));
      if (items.some(({ owner, number }) => owner === 'a' && isBad(number)))
        throw Object.assign(new Error('It refers to nothing.'), { code: '23503' });
      return items.map(({ number }) => number);
    },
  });
  const submit = (owner: string, number: number) => coalescer.submit({ owner, number }, owner);
  return { batches, submit };
}

t.test(
  'the items of a failed batch run again in tens of one owner, and those of a failed ten alone',
  async (t) => {
    const { batches, submit } = startRefusing((number) => number === 3);
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const answers = await Promise.allSettled(
      numbers.flatMap((number) => [submit('a', number), submit('b', number)]),
    );
    const refused = answers.filter(({ status }) => status === 'rejected');
    t.match(refused, [{ reason: { code: '23503' } }]);
    t.equal(refused.length, 1);
    const [first, ...again] = batches;
    t.equal(first?.length, 40);
    t.strictSame(
      again.map(({ length }) => length).toSorted((one, other) => other - one),
      [...Array(4).fill(10), ...Array(10).fill(1)],
    );
    for (const batch of again) t.equal(new Set(batch.map(([owner]) => owner)).size, 1);
    t.ok(
      again.filter(([item]) => item?.startsWith('b')).every(({ length }) => length === 10),
      'the other owner has no item that runs alone',
    );
  },
);

t.test('an owner whose item has failed has batches of its own, and the others share theirs', async (t) => {
  const { batches, submit } = startRefusing((number) => [3, 14].includes(number));
  await t.rejects(submit('a', 3), { code: '23503' });
  const numbers = Array.from({ length: 20 }, (_, number) => number + 10);
  const answers = await Promise.allSettled(
    numbers.flatMap((number) => [submit('a', number), submit('b', number)]),
  );
  t.equal(answers.filter(({ status }) => status === 'rejected').length, 1);
  const ofB = batches.filter((batch) => batch.some((item) => item.startsWith('b')));
  t.equal(ofB.length, 1);
  t.ok(ofB[0]?.every((item) => item.startsWith('b')));
  t.strictSame(
    batches.filter(({ length }) => length > 1 && length !== 20).map(({ length }) => length),
    [10, 10],
  );
});

t.test('an owner whose every tenth item is bad hardly fails the batches of another', async (t) => {
  const { batches, submit } = startRefusing((number) => number % 10 === 3);
  const clients = Array.from({ length: 40 });
  const creates = { a: 0, b: 0 };
  let isDone = false;
  // Each client sends its next create when the last one is answered.
  const failing = clients.map(async () => {
    while (!isDone) await submit('a', creates.a++).catch(() => {});
  });
  const good = clients.map(async () => {
    while (creates.b < 2_000) await submit('b', creates.b++);
  });
  await Promise.all(good);
  isDone = true;
  await Promise.all(failing);
  const sent = batches.flat().filter((item) => item.startsWith('b')).length;
  t.ok(sent < 1.1 * creates.b, `${creates.b} creates were sent ${sent} times`);
});

t.test(
  'what an owner has in the queue leaves the batches of others, too, once an item has failed',
  async (t) => {
    const { batches, submit } = startRefusing((number) => number % 10 === 3);
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    await Promise.allSettled(numbers.flatMap((number) => [submit('a', number), submit('b', number)]));
    const sent = batches.flat().filter((item) => item.startsWith('b')).length;
    t.ok(sent < 1.5 * numbers.length, `${numbers.length} creates were sent ${sent} times`);
  },
);

t.test(
  'an item that cannot run again, because its time is over, gets no failure of another item',
  async (t) => {
    const clock = new TestClock();
    const coalescer = new Coalescer<string, string>({
      name: 'test',
      clock,
      async run() {
        clock.pass(8_000);
        throw Object.assign(new Error('The reference does not exist.'), { code: '23503' });
      },
    });
    await Promise.all(['good', 'bad'].map((item) => t.rejects(coalescer.submit(item), RolledBackError)));
    await t.rejects(coalescer.submit('bad'), { code: '23503' }, 'a lone item gets its own');
  },
);

t.test('an owner whose items wait apart delays nobody else', async (t) => {
  const batches: string[][] = [];
  const releases: (() => void)[] = [];
  const coalescer = new Coalescer<string, string>({
    name: 'test',
    async run(items) {
      batches.push([...items]);
      if (items.includes('bad')) throw new Error('It is bad.');
      if (items.includes('slow')) await new Promise<void>((resolve) => releases.push(resolve));
      return items;
    },
  });
  await t.rejects(coalescer.submit('bad', 'a'));
  const slow = Array.from({ length: 50 }, () => coalescer.submit('slow', 'a'));
  await until('a ten runs', () => releases.length === 1);
  t.equal(await coalescer.submit('quick', 'b'), 'quick');
  await until('all are done', async () => {
    for (const release of releases.splice(0)) release();
    return batches.length >= 7;
  });
  for (const release of releases) release();
  await Promise.all(slow);
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
  });
  await Promise.all([1, 2, 3].map((item) => t.rejects(coalescer.submit(item), RefusedStatementError)));
  t.equal(statements, 1);
});
