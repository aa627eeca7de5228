/** Nothing is sent for an item once `timeoutMs` have passed since its submission: in its batch, and alone. */
import t from 'tap';
import { Coalescer } from '../../src/batching/coalescer.js';
import { RolledBackError, WaitedTooLongError } from '../../src/errors/database.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/database.js';
import { until } from '../support/process.js';

t.test('a batch is sent in the time of its oldest item, and a lone item in its own', async (t) => {
  const timeoutMs = 60_000;
  const runs: { items: readonly number[]; deadline: number }[] = [];
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(items, deadline) {
      runs.push({ items, deadline });
      if (items.length > 1) throw new RolledBackError('cancelled');
      return items;
    },
    timeoutMs,
    sizeOf: () => 1,
  });
  const before = performance.now();
  const answers = [1, 2].map((item) => coalescer.submit(item));
  const after = performance.now();
  await Promise.all(answers);
  t.strictSame(
    runs.map(({ items }) => items),
    [[1, 2], [1], [2]],
  );
  const [together, first, second] = runs.map(({ deadline }) => deadline);
  t.equal(together, first, 'counted from the submission');
  t.ok(first !== undefined && first >= before + timeoutMs);
  t.ok(second !== undefined && second <= after + timeoutMs);
});

t.test('an item that waits to run alone is refused when its time is over, and not later', async (t) => {
  const fails: (() => void)[] = [];
  const refused: unknown[] = [];
  const note = (error: unknown) => refused.push(error);
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(items) {
      if (items.length > 1) throw new RolledBackError('cancelled');
      await new Promise<void>((_, reject) => fails.push(() => reject(new RolledBackError('locked'))));
      return items;
    },
    timeoutMs: 200,
    sizeOf: () => 1,
  });
  const answers = Promise.allSettled([1, 2, 3].map((item) => coalescer.submit(item).catch(note)));
  await until('two run alone', () => fails.length === 2);
  await until('the third is refused, although those two still run', () => refused.length === 1);
  t.match(refused, [WaitedTooLongError]);
  for (const fail of fails) fail();
  await answers;
  t.equal(fails.length, 2);
});

t.test('a statement whose deadline is over before it has a connection is not sent', async (t) => {
  const url = await makeDatabase(t);
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  await t.rejects(
    database.query({ text: 'CREATE TABLE made ()', deadline: performance.now() }),
    RolledBackError,
  );
  t.equal((await database.query({ text: "SELECT WHERE to_regclass('made') IS NOT NULL" })).rowCount, 0);
});
