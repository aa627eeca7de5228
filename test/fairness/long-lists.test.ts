import t from 'tap';
import { LongLists } from '../../src/fairness/long-lists.js';

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
  const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((owner) => takeAll(lists, owner));
  t.same(
    owners.map(({ taken }) => taken),
    [20, 20, 20, 20, 10, 5, 3, 1, 1],
  );
  for (const { error } of owners.slice(0, -1)) t.match(error, { reason: 'owner lists' });
  t.match(takeAll(lists, 'another'), { taken: 0, error: { reason: 'lists' } });
});

t.test('a list that has ended makes room', async (t) => {
  const lists = new LongLists();
  const leave = lists.enter('a');
  t.equal(takeAll(lists, 'a').taken, 19);
  leave();
  t.equal(takeAll(lists, 'a').taken, 1);
});
