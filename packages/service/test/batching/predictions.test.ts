/** What docs/batching.md lets its reader predict. Each test names the sentence's numbers. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { startProgram, until } from '../../../kit/testing.js';
import { Coalescer } from '../../src/batching/coalescer.js';
import { batchSlots } from '../../src/fairness/slots.js';
import { events } from '../../src/observability/events.js';
import { Database } from '../../src/postgres/database.js';
import { newPlant } from '../support/plants.js';
import { openStore, storeOf } from '../support/store.js';
import { TestClock } from '../support/test-clock.js';

const numbersTo = (length: number) => Array.from({ length }, (_, number) => number);

for (const [together, batches] of [
  [1, [1]],
  [9, [9]],
  [17, [17]],
  [200, [50, 50, 50, 50]],
  [5_000, Array(100).fill(50)],
] as const) {
  t.test(`${together} at once, on a database that is near: batches of up to 50`, async (t) => {
    const sizes: number[] = [];
    const coalescer = new Coalescer<number, number>({
      name: 'test',
      async run(numbers) {
        sizes.push(numbers.length);
        return numbers;
      },
    });
    const answers = await Promise.all(numbersTo(together).map((number) => coalescer.submit(number)));
    t.strictSame(answers, numbersTo(together));
    t.strictSame(sizes, batches);
  });
}

t.test('200 at once, most of them of one owner: the others are in the first two batches', async (t) => {
  const batches: Record<string, number>[] = [];
  const coalescer = new Coalescer<string, string>({
    name: 'test',
    async run(owners) {
      const counts: Record<string, number> = {};
      for (const owner of owners) counts[owner] = (counts[owner] ?? 0) + 1;
      batches.push(counts);
      return owners;
    },
  });
  const creates = { A: 150, B: 30, C: 10, D: 10 };
  const owners = Object.entries(creates).flatMap(([owner, count]) => numbersTo(count).map(() => owner));
  await Promise.all(owners.map((owner) => coalescer.submit(owner, owner)));
  t.strictSame(batches, [{ A: 15, B: 15, C: 10, D: 10 }, { A: 35, B: 15 }, { A: 50 }, { A: 50 }]);
});

/**
 * A kind of statement whose batches end when the test says so, on a clock of the test's: a busy machine takes so long
 * that a queue would be in an overload.
 */
function startFar(batches = batchSlots()) {
  const clock = new TestClock();
  const sizes: number[] = [];
  const releases: (() => void)[] = [];
  let inFlight = 0;
  let most = 0;
  const coalescer = new Coalescer<number, number>({
    name: 'test',
    async run(numbers) {
      sizes.push(numbers.length);
      most = Math.max(most, ++inFlight);
      await new Promise<void>((resolve) => releases.push(resolve));
      inFlight--;
      return numbers;
    },
    batches,
    clock,
  });
  /** Waits until the condition holds, while pauses between batches pass. */
  const untilBegun = (what: string, holds: () => boolean) =>
    until(what, () => {
      clock.pass(2);
      return holds();
    });
  return { coalescer, sizes, releases, clock, untilBegun, most: () => most };
}

for (const [together, batches] of [
  [1, [1]],
  [9, [9]],
  [17, [17]],
  [200, [50, 50, 50, 50]],
] as const) {
  t.test(`${together} at once, on a database that is far away: all are in flight`, async (t) => {
    const { coalescer, sizes, releases, untilBegun } = startFar();
    const answers = numbersTo(together).map((number) => coalescer.submit(number));
    await untilBegun('all of them are', () => sizes.length === batches.length);
    t.strictSame(sizes, batches);
    for (const release of releases) release();
    await Promise.all(answers);
  });
}

t.test(
  '5,000 at once, on a database that is far away: 8 batches, and one more for each that ends',
  async (t) => {
    const { coalescer, sizes, releases, most, untilBegun } = startFar();
    const answers = numbersTo(5_000).map((number) => coalescer.submit(number));
    await untilBegun('8 are in flight', () => sizes.length === 8);
    for (let begun = 9; begun <= 100; begun++) {
      releases.shift()?.();
      await untilBegun('the next one is', () => sizes.length === begun);
    }
    for (const release of releases) release();
    await Promise.all(answers);
    t.equal(most(), 8);
    t.strictSame(sizes, Array(100).fill(50));
  },
);

t.test('who comes while two batches are in flight shares the next, which begins after 2 ms', async (t) => {
  const { coalescer, sizes, releases, clock } = startFar();
  const answers = [coalescer.submit(1)];
  await until('the first is in flight', () => sizes.length === 1);
  answers.push(coalescer.submit(2));
  await until('the second is', () => sizes.length === 2);
  answers.push(coalescer.submit(3), coalescer.submit(4), coalescer.submit(5));
  await nextLoopTick();
  clock.pass(1);
  t.strictSame(sizes, [1, 1]);
  clock.pass(1);
  t.strictSame(sizes, [1, 1, 3]);
  for (const release of releases) release();
  await Promise.all(answers);
});

t.test('kinds that are all stuck leave connections to others, however many kinds there are', async (t) => {
  const batches = batchSlots();
  const kinds = numbersTo(25).map(() => startFar(batches));
  const inFlight = () => kinds.reduce((sum, { releases }) => sum + releases.length, 0);
  let most = 0;
  let ended = false;
  const answers = kinds.flatMap(({ coalescer }) => numbersTo(200).map((number) => coalescer.submit(number)));
  void Promise.all(answers).then(() => {
    ended = true;
  });
  const pass = () => {
    for (const { clock } of kinds) clock.pass(2);
  };
  await until('as many as may are stuck', () => {
    pass();
    return inFlight() === 18;
  });
  await until('all are done, also of kinds that had none', () => {
    pass();
    most = Math.max(most, inFlight());
    for (const { releases } of kinds) releases.shift()?.();
    return ended;
  });
  t.equal(most, 18, 'of the twenty connections');
});

/** The database of this URL, as many milliseconds away. */
async function throughNetwork(t: Test, url: string, milliseconds: number): Promise<string> {
  const proxy = 'packages/kit/src/postgres/delaying-proxy.ts';
  const { child } = startProgram(t, proxy, [String(milliseconds)], { environment: { DATABASE_URL: url } });
  if (child.stderr === null) throw new Error('It has no stderr.');
  const [line] = await once(createInterface(child.stderr), 'line');
  return String(line).replace('ready at ', '');
}

for (const milliseconds of [0, 20]) {
  t.test(`200 creates at once, ${milliseconds} ms from PostgreSQL: four batches of 50`, async (t) => {
    const { url } = await openStore(t);
    const database = new Database(
      milliseconds === 0 ? url : await throughNetwork(t, url, milliseconds),
      () => {},
    );
    t.teardown(() => database.close());
    const store = await storeOf(database);
    const sizes: number[] = [];
    const note = (work: string, items: readonly object[]) =>
      work === 'create plants' && sizes.push(items.length);
    events.on('batchBegan', note);
    t.teardown(() => events.off('batchBegan', note));
    const creates = numbersTo(200).map((id) =>
      store.create('owner', newPlant({ id: BigInt(id), name: 'x' })),
    );
    t.notOk((await Promise.all(creates)).includes('conflict'));
    t.strictSame(sizes, [50, 50, 50, 50]);
  });
}
