import t from 'tap';
import { Holders } from '../../src/fairness/holders.js';

function makeHolders() {
  return new Holders<number, { things: number }>(
    () => ({ things: 0 }),
    ({ things }) => things === 0,
  );
}

t.test('a holder that has nothing is kept until many are', async (t) => {
  const holders = makeHolders();
  for (let holder = 0; holder < 1_000; holder++) holders.of(holder);
  t.ok(holders.find(0), 'the first is kept');
  t.equal(holders.size, 1_000);
  holders.of(1_000);
  t.notOk(holders.find(0), 'the first is forgotten');
  t.equal(holders.size, 1);
});

t.test('a holder that has something is never forgotten, however many come', async (t) => {
  const holders = makeHolders();
  for (let holder = 0; holder < 3_000; holder++) holders.of(holder).things = 1;
  for (let holder = 3_000; holder < 100_000; holder++) holders.of(holder);
  for (let holder = 0; holder < 3_000; holder++) {
    if (holders.find(holder)?.things !== 1) t.fail(`${holder} was forgotten`);
  }
  t.ok(holders.size <= 6_000, 'at most as many without anything as with something');
});

t.test('holders are found by identity, such as the coalescers of a database', async (t) => {
  const holders = new Holders<object, { things: number }>(
    () => ({ things: 0 }),
    ({ things }) => things === 0,
  );
  const [one, other] = [{}, {}];
  holders.of(one).things++;
  t.equal(holders.of(one).things, 1);
  t.equal(holders.of(other).things, 0);
});
