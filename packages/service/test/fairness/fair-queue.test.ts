import { setImmediate as nextLoopTick } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { WaitedTooLongError } from '../../src/errors/overloads.js';
import { CoDel } from '../../src/fairness/codel.js';
import { FairQueue, requestsWaiting } from '../../src/fairness/fair-queue.js';
import { refuseSoon } from '../../src/fairness/refusals.js';
import { TestClock } from '../support/test-clock.js';

/** What was refused, and why. */
type Refuse = (owner: string, id: number, reason: unknown) => void;

const patience = 60_000;
const item = (owner: string, id = 0, refuse: Refuse = () => {}, since = performance.now()) => ({
  owner,
  id,
  since,
  waitsUntil: since + patience,
  reject: (reason: unknown) => refuse(owner, id, reason),
});
/** Waits until all that were refused before know it. */
async function refusals(): Promise<void> {
  await new Promise((reject) => refuseSoon([{ reject }], new Error('This one is the last.')));
}
const ids = (items: readonly { owner: string; id: number }[]) =>
  items.map(({ owner, id }) => `${owner}${id}`);

function queueOf(owners: string) {
  const queue = new FairQueue<ReturnType<typeof item>>(new CoDel());
  for (const [id, owner] of [...owners].entries()) queue.add(item(owner, id));
  return queue;
}

t.test('a lone owner is served in order', async (t) => {
  t.strictSame(ids(queueOf('aaaa').take(3)), ['a0', 'a1', 'a2']);
});

t.test('owners take turns, also from batch to batch, and each in its order', async (t) => {
  const queue = queueOf('aaaaaabbc');
  t.strictSame(ids(queue.take(4)), ['a0', 'b6', 'c8', 'a1']);
  queue.add(item('c', 9));
  t.strictSame(ids(queue.take(3)), ['b7', 'a2', 'c9']);
  t.strictSame(ids(queue.take(9)), ['a3', 'a4', 'a5']);
});

t.test('those who run again are of one owner', async (t) => {
  const queue = queueOf('aabaa');
  t.strictSame(ids(queue.takeOfOneOwner(3)), ['a0', 'a1', 'a3']);
  t.strictSame(ids(queue.takeOfOneOwner(3)), ['b2']);
  t.strictSame(ids(queue.takeOfOneOwner(3)), ['a4']);
  t.strictSame(queue.takeOfOneOwner(3), []);
});

t.test('all items of an owner are taken at once, and no other', async (t) => {
  const queue = queueOf('aabaa');
  t.strictSame(ids(queue.takeAllOf('a')), ['a0', 'a1', 'a3', 'a4']);
  t.strictSame(queue.takeAllOf('a'), []);
  t.strictSame(ids(queue.take(9)), ['b2']);
});

t.test('thousands of refusals leave room for others in each tick of the event loop', async (t) => {
  let refused = 0;
  const items = Array.from({ length: 3_000 }, (_, id) => item('a', id, () => refused++));
  refuseSoon(items, new Error('There are too many.'));
  const ofTicks: number[] = [];
  for (let before = 0; refused < 3_000; before = refused) {
    await nextLoopTick();
    ofTicks.push(refused - before);
  }
  t.ok(Math.max(...ofTicks) <= 100, `${Math.max(...ofTicks)} in one tick`);
});

/**
 * An owner "a" sends, and a quiet one now and then, on a clock of the test's: in each of so many ticks of 100 ms, so
 * many items come and so many leave.
 */
async function simulate(
  ticks: number,
  { perTick, served, isStalled = () => false }: Simulated,
): Promise<{ refused: string[]; waits: number[]; left: number }> {
  const clock = new TestClock();
  const queue = new FairQueue<ReturnType<typeof item>>(new CoDel(), clock);
  const refused: string[] = [];
  const waits: number[] = [];
  const begin = clock.now();
  const submit = (owner: string, now: number) => queue.admit(item(owner, 0, () => refused.push(owner), now));
  for (let tick = 0; tick < ticks; tick++) {
    const now = begin + 100 * tick;
    for (let id = 0; id < perTick(tick); id++) submit('a', now);
    submit('quiet', now);
    queue.look(now);
    const taken = queue.take(served(tick));
    if (!isStalled(tick)) queue.done(taken.length, now);
    waits.push(...taken.map(({ since }) => now - since));
  }
  await refusals();
  return { refused, waits, left: queue.length };
}

interface Simulated {
  readonly perTick: (tick: number) => number;
  readonly served: (tick: number) => number;
  readonly isStalled?: (tick: number) => boolean;
}

t.test('in a lasting overload, an owner who sends ten times too much is refused, and no other', async (t) => {
  const { refused, waits } = await simulate(200, { perTick: () => 400, served: () => 41 });
  t.strictSame(new Set(refused), new Set(['a']));
  t.equal(waits.length, 200 * 41, 'the database has as much to do as it can');
  t.ok(Math.max(...waits) <= 1_500, `nobody waits for longer than ${Math.max(...waits)} ms`);
});

t.test('an overload ends when no more come than are served', async (t) => {
  const perTick = (tick: number) => (tick < 100 ? 400 : 40);
  const { refused: before } = await simulate(100, { perTick, served: () => 50 });
  const { refused, left } = await simulate(200, { perTick, served: () => 50 });
  t.ok(refused.length - before.length < 400, `${refused.length - before.length} more`);
  t.equal(left, 0);
});

t.test('an overload does not outlive its clients, whenever they leave', async (t) => {
  for (let ticks = 30; ticks < 40; ticks++) {
    const clock = new TestClock();
    const queue = new FairQueue<ReturnType<typeof item>>(new CoDel(), clock);
    const refused: string[] = [];
    const admit = (owner: string, now: number) => queue.admit(item(owner, 0, () => refused.push(owner), now));
    let now = clock.now();
    for (let tick = 0; tick < ticks; tick++) {
      for (let id = 0; id < 400; id++) admit('a', now);
      queue.look(now);
      queue.done(queue.take(41).length, now);
      now += 100;
    }
    await refusals();
    t.ok(refused.length > 400, 'an overload was found');
    while (queue.length > 0) queue.take(41);
    now += 60_000;
    for (let id = 0; id < 100; id++) admit('b', now);
    queue.look(now);
    queue.take(41);
    await refusals();
    t.notOk(refused.includes('b'));
    t.equal(queue.length, 59);
  }
});

t.test('a burst is not an overload if the database does it in time', async (t) => {
  const { refused, left } = await simulate(200, {
    perTick: (tick) => (tick === 0 ? 4_999 : 0),
    served: () => 150,
  });
  t.strictSame([refused, left], [[], 0]);
});

t.test('clients that wait for their answers are an overload if they would wait for too long', async (t) => {
  // 4,000 clients, each with one request at a time; a refused one sends its next one after a second.
  const ticks = 200;
  const sends = new Array<number>(ticks + 11).fill(0);
  sends[0] = 4_000;
  const clock = new TestClock();
  const queue = new FairQueue<ReturnType<typeof item>>(new CoDel(), clock);
  const begin = clock.now();
  const waits: number[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    const now = begin + 100 * tick;
    const again = (after: number) => {
      sends[tick + after] = (sends[tick + after] ?? 0) + 1;
    };
    for (let count = sends[tick] ?? 0; count > 0; count--) queue.admit(item('a', 0, () => again(10), now));
    queue.look(now);
    const taken = queue.take(41);
    queue.done(taken.length, now);
    for (const { since } of taken) {
      waits.push(now - since);
      again(1);
    }
    await refusals();
  }
  t.equal(waits.length, ticks * 41, 'the database has as much to do as it can');
  t.ok(Math.max(...waits) <= 2_000, `nobody waits for longer than ${Math.max(...waits)} ms`);
});

t.test(
  'a thousand clients that wait for their answers are not an overload, whenever they come',
  async (t) => {
    const { refused, left } = await simulate(200, {
      // Each answer brings the next request of its client.
      perTick: (tick) => (tick === 0 ? 300 : 40) + (tick > 7 && tick <= 12 ? 140 : 0),
      served: () => 41,
    });
    t.strictSame([refused, left], [[], 960]);
  },
);

t.test('a database that stands still for up to 5 s refuses nobody, although more come', async (t) => {
  for (const ticks of [1, 4, 5, 9, 10, 11, 14, 25, 50]) {
    const isStalled = (tick: number) => tick >= 10 && tick < 10 + ticks;
    const { refused, left } = await simulate(200, {
      perTick: () => 80,
      // Some are taken in vain, because the database rolls them back.
      served: (tick) => (isStalled(tick) ? Number(tick % 20 === 0) : 160),
      isStalled,
    });
    t.strictSame([refused, left], [[], 0], `${ticks * 100} ms`);
  }
});

t.test('those who have waited too long: of each owner, the oldest', async (t) => {
  const clock = new TestClock();
  const queue = new FairQueue<ReturnType<typeof item>>(new CoDel(), clock);
  const refused: string[] = [];
  const refuse: Refuse = (owner, id, error) => {
    t.type(error, WaitedTooLongError);
    refused.push(`${owner}${id}`);
  };
  const now = clock.now();
  const long = now - patience;
  for (let id = 0; id < 1_000; id++) queue.add(item('a', id, refuse, long));
  queue.add(item('b', 1_000, refuse, long));
  queue.add(item('b', 1_001, refuse, now));
  queue.add(item('c', 1_002, refuse, now));
  clock.pass(100);
  await refusals();
  t.equal(refused.length, 1_001);
  t.strictSame(refused.slice(0, 2), ['a0', 'a1']);
  t.strictSame(ids(queue.take(9)), ['b1001', 'c1002']);
  queue.add(item('a', 1_003, refuse, long));
  clock.pass(100);
  await refusals();
  t.equal(refused.length, 1_002, 'the next one is refused, too');
  t.equal(queue.length, 0);
});

t.test('every item leaves once, in the order of its owner, whatever comes when', async () => {
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(9), fc.constant('late')), {
    maxLength: 200,
  });
  // Longer than CoDel lets anybody wait, if it lasts.
  const tickMs = 700;
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const before = requestsWaiting();
      const clock = new TestClock();
      const queue = new FairQueue<ReturnType<typeof item>>(new CoDel(), clock);
      const taken: { owner: string; id: number }[] = [];
      const refused: number[] = [];
      let added = 0;
      let now = clock.now();
      for (const step of plan) {
        if (step === 'late') {
          now += tickMs;
          queue.look(now);
        } else if (typeof step === 'number') taken.push(...queue.take(step));
        else queue.admit(item(step, added++, (_owner, id) => refused.push(id), now));
      }
      taken.push(...queue.take(added));
      await refusals();
      const inOrder = taken.every(({ owner, id }, at) =>
        taken.slice(at).every((later) => later.owner !== owner || later.id >= id),
      );
      const left = [...taken.map(({ id }) => id), ...refused];
      const areOnce = left.length === added && new Set(left).size === added;
      return inOrder && areOnce && queue.length === 0 && requestsWaiting() === before;
    }),
  );
});
