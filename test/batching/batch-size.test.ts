import t from 'tap';
import { BatchSize } from '../../src/batching/batch-size.js';

t.test('a batch is small; it is larger if the database is far away, smaller if it is slow', async (t) => {
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

t.test(
  'after a batch that the database could not do in time, small ones show what an item takes',
  async (t) => {
    const size = new BatchSize();
    size.learn(1, 1, 1);
    for (let batch = 0; batch < 10; batch++) size.learn(2, 2, 96);
    t.equal(size.next(5_000), 96);
    size.rolledBack(96);
    t.equal(size.next(5_000), 8);
    size.learn(800, 800, 8);
    t.equal(size.next(5_000), 8, 'each item takes 100 ms');
    size.learn(2, 2, 8);
    t.equal(size.next(5_000), 96, 'one had waited for a lock');
    size.rolledBack(96);
    size.rolledBack(1_000);
    t.equal(size.next(5_000), 8, 'an older and larger one says no more');
  },
);
