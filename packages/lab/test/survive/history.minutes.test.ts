import t from 'tap';
import { History } from '../../src/survive/history.js';
import { type Item, itemOf } from '../../src/survive/items.js';
import type { RegisterOperation } from '../../src/survive/register.js';

const owner = 'owner-1';
const plants = [-7n, 2n, 10n].map((id) => itemOf(owner, id, 1));

/** Three plants that were created from 0 to 1 ms, and what a list from 2 to 3 ms says of them. */
function harmsOf(seen: readonly (Item | undefined)[], limit?: number): string[] {
  const history = new History(owner);
  for (const id of [-7n, 2n, 10n]) {
    history.expect(id);
    const create: RegisterOperation = { kind: 'create', version: 1, begin: 0, end: 1, changed: true };
    history.add(id, create);
  }
  history.addList({ begin: 2, end: 3, limit, items: seen.filter((plant) => plant !== undefined) });
  return history.check().anomalies.map(({ harm }) => harm);
}

t.test('a list that says what is there', async (t) => {
  t.strictSame(harmsOf(plants), []);
  t.strictSame(harmsOf(plants.slice(0, 2), 2), [], 'with a limit, it says nothing of ids beyond its last');
  t.strictSame(harmsOf(plants, 3), []);
});

t.test('a list that does not', async (t) => {
  t.strictSame(harmsOf(plants.slice(0, 2)), ['lost']);
  t.strictSame(harmsOf(plants.slice(0, 2), 3), ['lost'], 'one below its limit is a whole one');
  t.strictSame(harmsOf([plants[0], plants[2]], 2), ['lost'], 'a gap below the limit is one');
  t.strictSame(harmsOf([plants[0], plants[1], plants[1], plants[2]]), ['doubled']);
  t.strictSame(harmsOf([plants[0], plants[2], plants[1]]), ['wrong'], 'not in the order of the ids');
  t.strictSame(harmsOf([...plants, itemOf(owner, 11n, 1)]), ['wrong'], 'an id that nobody sent');
  t.strictSame(harmsOf([...plants, itemOf('owner-2', 11n, 1)]), ['wrong'], 'the plant of another owner');
  t.strictSame(harmsOf([plants[0], plants[1], itemOf(owner, 10n, 4)]), ['wrong'], 'another content');
  t.strictSame(harmsOf(plants, 2), ['wrong'], 'more than its limit');
});

t.test('equal reads between others are left out, but not what happens between them', async (t) => {
  const history = new History(owner);
  history.expect(2n);
  history.add(2n, { kind: 'create', version: 1, begin: 0, end: 1, changed: true });
  for (let begin = 2; begin < 20; begin += 2) {
    history.addList({ begin, end: begin + 1, limit: undefined, items: [itemOf(owner, 2n, 1)] });
  }
  history.add(2n, { kind: 'delete', version: 0, begin: 10, end: 11, changed: true });
  t.strictSame(
    history.check().anomalies.map(({ harm }) => harm),
    ['doubled'],
  );
});
