/** Many readers of long lists at once must not delay the requests of others. */
import t from 'tap';
import { OverloadError } from '../../src/errors/overloads.js';
import { LongLists, maxLists } from '../../src/fairness/long-lists.js';
import { events } from '../../src/observability/events.js';
import { plantMany } from '../support/many-plants.js';
import { openStore } from '../support/store.js';

t.test('only one page of all long lists is read in a tick of the event loop', async (t) => {
  const lists = new LongLists();
  let pages = 0;
  const readPages = async () => {
    for (let page = 0; page < 5; page++) {
      await lists.ownTick();
      pages++;
    }
  };
  const readers = Promise.all([readPages(), readPages(), readPages()]);
  for (let before = 0; before < 15; before = pages) {
    await new Promise((resolve) => setImmediate(resolve));
    t.ok(pages - before <= 1);
  }
  await readers;
});

t.test('a long list too many of an owner is refused before it costs a statement', async (t) => {
  const { url, store } = await openStore(t);
  await plantMany(url, 'a', 200);
  const readers = [];
  for (let list = 0; list < maxLists.owner; list++) {
    const pages = await store.list('a');
    if (!(Symbol.asyncIterator in pages)) throw new Error('The list is short.');
    const reader = pages[Symbol.asyncIterator]();
    await reader.next();
    readers.push(reader);
  }
  let statements = 0;
  const count = () => statements++;
  events.on('statementBegan', count);
  t.teardown(() => events.off('statementBegan', count));
  await t.rejects(store.list('a'), OverloadError);
  t.equal(statements, 0);
  t.equal(
    ((await store.list('a', { limit: 100 })) as unknown[]).length,
    100,
    'a short list is not among them',
  );
  t.strictSame(await store.list('b'), [], 'and another owner is served');
  for (const reader of readers) await reader.return?.();
});
