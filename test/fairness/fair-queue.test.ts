import fc from 'fast-check';
import t from 'tap';
import { OverloadError, WaitedTooLongError } from '../../src/errors/database.js';
import { FairQueue, requestsWaiting } from '../../src/fairness/fair-queue.js';
import { until } from '../support/process.js';

/** What was refused, and why. */
type Refuse = (owner: string, id: number, reason: unknown) => void;

const item = (owner: string, id = 0, refuse: Refuse = () => {}, since = performance.now()) => ({
  owner,
  id,
  size: 1,
  since,
  reject: (reason: unknown) => refuse(owner, id, reason),
});
const patience = 60_000;
const ids = (items: readonly { owner: string; id: number }[]) =>
  items.map(({ owner, id }) => `${owner}${id}`);

/** @param mostBefore items that one may wait for */
function queueOf(owners: string, mostBefore = Number.POSITIVE_INFINITY, refuse?: Refuse) {
  let most = Number.POSITIVE_INFINITY;
  const queue = new FairQueue<ReturnType<typeof item>>((before) => before > most, patience);
  for (const [id, owner] of [...owners].entries()) queue.add(item(owner, id, refuse));
  most = mostBefore;
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

t.test('a greedy owner leaves room for others', async (t) => {
  const queue = queueOf('a'.repeat(5_000));
  t.throws(() => queue.add(item('a')), { name: 'OverloadError', reason: 'owner requests' });
  for (let id = 0; id < 2_500; id++) queue.add(item('b', id));
  t.throws(() => queue.add(item('b')), { name: 'OverloadError', reason: 'requests' });
  queue.add(item('c'));
});

t.test('who would wait too long is refused at once: the owner with too many', async (t) => {
  const queue = queueOf(`${'a'.repeat(10)}b`, 9);
  t.throws(() => queue.add(item('a')), { name: 'OverloadError', reason: 'owner requests' });
  queue.add(item('b', 11));
  queue.add(item('c', 12));
  // Each of many owners would wait, too.
  const many = queueOf('abcdefghij', 10);
  many.add(item('k'));
  t.throws(() => many.add(item('l')), { name: 'OverloadError', reason: 'requests' });
});

t.test(
  'those who wait too long once the database has become slow: the oldest, a few at a time',
  async (t) => {
    const refused: string[] = [];
    const queue = queueOf(`${'a'.repeat(1_000)}b`, 99, (owner, id, error) =>
      refused.push(`${owner}${id} ${error instanceof OverloadError && error.reason}`),
    );
    queue.refuseLate();
    t.equal(refused.length, 500);
    t.strictSame(refused.slice(0, 2), ['a0 owner requests', 'a1 owner requests']);
    queue.refuseLate();
    queue.refuseLate();
    t.ok(refused.every((one) => one.startsWith('a')));
    t.strictSame(ids(queue.take(3)), ['a950', 'b1000', 'a951'], 'with two owners, 50 of one wait for 99');
  },
);

t.test('those who have waited too long: of each owner, the oldest', async (t) => {
  const queue = queueOf('');
  const refused: string[] = [];
  const refuse: Refuse = (owner, id, error) => {
    t.type(error, WaitedTooLongError);
    refused.push(`${owner}${id}`);
  };
  const long = performance.now() - patience;
  for (let id = 0; id < 1_000; id++) queue.add(item('a', id, refuse, long));
  queue.add(item('b', 1_000, refuse, long));
  queue.add(item('b', 1_001, refuse));
  queue.add(item('c', 1_002, refuse));
  await until('all of them are refused', () => refused.length === 1_001);
  t.strictSame(refused.slice(0, 2), ['a0', 'a1']);
  t.strictSame(ids(queue.take(9)), ['b1001', 'c1002']);
  queue.add(item('a', 1_003, refuse, long));
  await until('the next one is, too', () => refused.length === 1_002);
  t.equal(queue.length, 0);
});

t.test('every item leaves once, in the order of its owner, whatever comes when', async () => {
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(9), fc.constant('late')), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (plan) => {
      const before = requestsWaiting();
      const queue = new FairQueue<ReturnType<typeof item>>((before) => before > 2, patience);
      const taken: { owner: string; id: number }[] = [];
      const refused: number[] = [];
      let added = 0;
      for (const step of plan) {
        if (step === 'late') queue.refuseLate();
        else if (typeof step === 'number') taken.push(...queue.take(step));
        else {
          try {
            queue.add(item(step, added++, (_owner, id) => refused.push(id)));
          } catch (error) {
            if (!(error instanceof OverloadError)) throw error;
            refused.push(added - 1);
          }
        }
        if (queue.length !== added - taken.length - refused.length) return false;
      }
      taken.push(...queue.take(added));
      const inOrder = taken.every(({ owner, id }, at) =>
        taken.slice(at).every((later) => later.owner !== owner || later.id >= id),
      );
      const left = new Set([...taken.map(({ id }) => id), ...refused]);
      return inOrder && left.size === added && queue.length === 0 && requestsWaiting() === before;
    }),
  );
});
