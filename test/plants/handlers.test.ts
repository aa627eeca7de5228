import t from 'tap';
import type { AnyHandler } from '../../packages/service/layer.js';
import { MemoryStore } from '../../packages/service/test/support/memory-store.js';
import { plantResource } from '../../src/plants/operations.js';
import { plantsTable } from '../../src/plants/table.js';

/** What each word of the store is answered with; that the store keeps its word is packages/service/test/store/promises.test.ts. */

const { createPlant, deletePlant, listPlants } = plantResource.handlersOf(new MemoryStore(plantsTable));
/** Calls a handler as a route does, after it has validated the request. */
const call = (handler: AnyHandler, caller: string, request: Partial<Parameters<AnyHandler>[0]>) => {
  const nothing = { path: {}, query: {}, header: {}, cookie: {}, body: undefined, mediaType: undefined };
  return handler({ ...nothing, ...request, caller, arrivedAt: performance.now() });
};

t.test(
  'a create answers the plant without its id, also if it is repeated, and 409 if the id is taken',
  async (t) => {
    const body = { id: 2n ** 63n - 1n, name: 'Fern', tag: 'shade' };
    for (const _ of ['first', 'repeated'])
      t.strictSame(await call(createPlant, 'ann', { body }), {
        status: 200,
        body: { name: 'Fern', tag: 'shade' },
      });
    t.match(await call(createPlant, 'ann', { body: { ...body, name: 'Rose' } }), { status: 409 });
    t.match(
      await call(createPlant, 'bob', { body: { ...body, name: 'Rose' } }),
      { status: 200 },
      'of another owner',
    );
  },
);

t.test('a list passes on what was asked for', async (t) => {
  for (const id of [3n, 1n, 2n]) await call(createPlant, 'cyd', { body: { id, name: `Plant ${id}` } });
  const query = { limit: 2 };
  t.strictSame(await call(listPlants, 'cyd', { query }), {
    status: 200,
    body: [{ name: 'Plant 1' }, { name: 'Plant 2' }],
  });
});

t.test('a delete answers 204 once, and then 404', async (t) => {
  await call(createPlant, 'dan', { body: { id: 1n, name: 'Fern' } });
  t.strictSame(await call(deletePlant, 'dan', { path: { id: 1n } }), { status: 204 });
  t.match(await call(deletePlant, 'dan', { path: { id: 1n } }), { status: 404 });
});
