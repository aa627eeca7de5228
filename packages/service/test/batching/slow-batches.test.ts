/** What becomes of the owners of a batch that is slow. */
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import t from 'tap';
import { Coalescer } from '../../src/batching/coalescer.js';
import { TestClock } from '../support/test-clock.js';

/** Runs a batch in the time that its slowest item takes, and records the owners of each batch. */
function start(takesMs: (owner: string) => number) {
  const clock = new TestClock();
  const batches: string[] = [];
  const coalescer = new Coalescer<string, string>({
    name: 'test',
    clock,
    async run(owners) {
      batches.push([...new Set(owners)].join(''));
      await new Promise<void>((resolve) => clock.after(Math.max(...owners.map(takesMs)), resolve));
      return owners;
    },
  });
  /** @returns the batches in which so many items of each owner ran, which were submitted at once */
  const round = async (owners: string, items = 1) => {
    batches.length = 0;
    const submitted = [...owners].flatMap((owner) => Array.from({ length: items }, () => owner));
    let isDone = false;
    const done = Promise.all(submitted.map((owner) => coalescer.submit(owner, owner))).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await nextLoopTick();
      clock.pass(1);
    }
    await done;
    return [...batches];
  };
  return { clock, round };
}

t.test('an owner whose items are slow shares no statement with others while they are', async (t) => {
  let slowMs = 5;
  const { clock, round } = start((owner) => (owner === 'a' ? slowMs : 5));
  t.strictSame(await round('abc'), ['abc']);
  slowMs = 1_000;
  t.strictSame(await round('abc'), ['abc'], 'nobody knows it yet');
  t.strictSame(await round('abcd'), ['a', 'b', 'c', 'd'], 'one of these three was slow');
  for (let rounds = 0; rounds < 20; rounds++) t.strictSame(await round('abcd'), ['a', 'bcd']);
  slowMs = 5;
  t.strictSame(await round('abcd'), ['a', 'bcd']);
  clock.pass(1_000);
  t.strictSame(await round('abcd'), ['abcd'], 'and then it shares again');
});

t.test('an owner that always has items waiting shares again once its batches are quick', async (t) => {
  const clock = new TestClock();
  let ms = 5;
  const sizes: number[] = [];
  const coalescer = new Coalescer<string, string>({
    name: 'test',
    clock,
    async run(owners) {
      sizes.push(owners.length);
      await new Promise<void>((resolve) => clock.after(ms, resolve));
      return owners;
    },
  });
  let isOver = false;
  // A hundred connections, each of which sends its next request once the last is answered.
  const connections = Array.from({ length: 100 }, async (_, at) => {
    while (!isOver) await coalescer.submit('item', at === 0 ? 'b' : 'a');
  });
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed++) {
      await nextLoopTick();
      clock.pass(1);
    }
  };
  await pass(100);
  ms = 500;
  await pass(700);
  ms = 5;
  sizes.length = 0;
  await pass(500);
  t.ok(Math.max(...sizes) <= 10, 'apart at first');
  await pass(3_000);
  sizes.length = 0;
  await pass(100);
  t.equal(Math.max(...sizes), 50);
  isOver = true;
  await pass(200);
  await Promise.all(connections);
});

t.test('if the database becomes slow for all, they share statements again soon', async (t) => {
  let ms = 5;
  let isOneSlow = false;
  const { clock, round } = start((owner) => (owner === 'a' && isOneSlow ? 1_000 : ms));
  const owners = Array.from({ length: 200 }, (_, at) => String.fromCodePoint(0x61 + at)).join('');
  t.equal((await round(owners)).length, 4, 'in fifties');
  ms = 200;
  let statements = 0;
  for (let rounds = 0; rounds < 5; rounds++) statements += (await round(owners)).length;
  t.ok(statements < 1.5 * owners.length, `${statements} statements`);
  // Those whose own batches were taken for slow at first stay apart for a second more.
  clock.pass(1_000);
  t.equal((await round(owners)).length, 4);
  ms = 5;
  for (let rounds = 0; rounds < 5; rounds++) await round(owners);
  clock.pass(1_100);
  isOneSlow = true;
  await round('ab');
  t.strictSame(await round('ab'), ['a', 'b'], 'and who is slow later is found');
});

t.test('an owner that nobody waits for keeps large batches, however slow', async (t) => {
  let ms = 5;
  const { round } = start(() => ms);
  await round('a');
  ms = 1_000;
  for (let rounds = 0; rounds < 5; rounds++) t.equal((await round('a', 50)).length, 1);
});
