import t from 'tap';
import { LongLists, maxLists } from '../../src/fairness/long-lists.js';

/** @returns the lists that the owner got before it was refused, and why it was */
function takeAll(lists: LongLists, owner: string) {
  for (let taken = 0; ; taken++) {
    try {
      lists.enter(owner);
    } catch (error) {
      return { taken, error };
    }
  }
}

t.test('each owner that takes all it can leaves room for another', async (t) => {
  const lists = new LongLists();
  let free = maxLists.all;
  for (let number = 1; free > 0; number++) {
    const half = Math.ceil(free / 2);
    const { taken, error } = takeAll(lists, `owner ${number}`);
    t.equal(taken, Math.min(half, maxLists.owner), `owner ${number}`);
    free -= taken;
    t.match(error, { reason: free > 0 ? 'owner lists' : 'lists' });
  }
  t.match(takeAll(lists, 'another'), { taken: 0, error: { reason: 'lists' } });
});

t.test('a list that has ended makes room', async (t) => {
  const lists = new LongLists();
  const leave = lists.enter('a');
  t.equal(takeAll(lists, 'a').taken, maxLists.owner - 1);
  leave();
  t.equal(takeAll(lists, 'a').taken, 1);
});
