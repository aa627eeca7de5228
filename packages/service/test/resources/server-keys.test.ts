import t from 'tap';
import { gardenService } from '../../../../examples/gardens/garden-service.js';
import { startService } from '../support/service.js';

/** Suppliers have ids that the server makes: what differs from the promises of the other resources. */

const { newCaller } = await startService(t, { parts: gardenService });

interface Supplier {
  readonly id: string;
  readonly name: string;
}

type Call = Awaited<ReturnType<typeof newCaller>>;

const supplierIn = (body: unknown): Supplier => Object(body);
const suppliersIn = (body: unknown): Supplier[] => (Array.isArray(body) ? body : []);

async function create(call: Call, name: string): Promise<Supplier> {
  return supplierIn((await call('POST', '/suppliers', { body: { name } })).body);
}

t.test('a create is a 201, and its Location leads to the item', async (t) => {
  const call = await newCaller();
  const { status, headers, body } = await call('POST', '/suppliers', { body: { name: 'Seeds and Sons' } });
  t.equal(status, 201);
  const { id } = supplierIn(body);
  t.strictSame(body, { id, name: 'Seeds and Sons' });
  t.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const location = headers.get('location') ?? '';
  t.equal(location, `/suppliers/${id}`);
  t.match(await call('GET', location), { status: 200, body: { id, name: 'Seeds and Sons' } });
  t.match(await call('GET', location.toUpperCase().replace('SUPPLIERS', 'suppliers')), { status: 200, body });
});

t.test('equal creates of the same moment make an item each', async (t) => {
  const call = await newCaller();
  const made = await Promise.all(Array.from({ length: 30 }, () => create(call, 'Seeds and Sons')));
  t.equal(new Set(made.map(({ id }) => id)).size, 30);
  t.equal(suppliersIn((await call('GET', '/suppliers')).body).length, 30);
});

t.test('an id in the body of a create is ignored', async (t) => {
  const call = await newCaller();
  const { id } = await create(call, 'Seeds and Sons');
  const { status, body } = await call('POST', '/suppliers', { body: { id, name: 'The Nursery' } });
  t.equal(status, 201);
  t.not(supplierIn(body).id, id);
  t.match((await call('GET', `/suppliers/${id}`)).body, { name: 'Seeds and Sons' });
});

t.test('a list is in the order of the ids, and comes in pages of any size', async (t) => {
  const call = await newCaller();
  const names = Array.from({ length: 12 }, (_, at) => `supplier ${at}`);
  const made = await Promise.all(names.map((name) => create(call, name)));
  const wanted = made.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  t.strictSame((await call('GET', '/suppliers')).body, wanted);
  for (const limit of [1, 5, 12]) {
    const found: Supplier[] = [];
    for (let after = ''; found.length <= names.length; ) {
      const page = suppliersIn((await call('GET', `/suppliers?limit=${limit}${after}`)).body);
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined) break;
      // A request may have an id in either case.
      after = `&after=${last.id.toUpperCase()}`;
    }
    t.strictSame(found, wanted, `in pages of ${limit}`);
  }
});

t.test('an item is deleted once, and only by its owner', async (t) => {
  const [call, neighbour] = [await newCaller(), await newCaller()];
  const { id } = await create(call, 'Seeds and Sons');
  const path = `/suppliers/${id}`;
  t.equal((await neighbour('GET', path)).status, 404);
  t.equal((await neighbour('DELETE', path)).status, 404);
  t.strictSame((await neighbour('GET', '/suppliers')).body, []);
  const statuses = await Promise.all(
    [path, path.toUpperCase().replace('SUPPLIERS', 'suppliers'), path].map(
      async (one) => (await call('DELETE', one)).status,
    ),
  );
  t.strictSame(statuses.toSorted(), [204, 404, 404]);
  t.match(await call('GET', path), { status: 404, body: { error: 404 } });
});

t.test('what is not a UUID is a 400', async (t) => {
  const call = await newCaller();
  for (const id of [
    '7',
    'urn:uuid:0192f3a4-5b6c-7d8e-9fab-cdef01234567',
    '{0192f3a4-5b6c-7d8e-9fab-cdef01234567}',
  ])
    for (const method of ['GET', 'DELETE'])
      t.match(await call(method, `/suppliers/${encodeURIComponent(id)}`), { status: 400 }, `${method} ${id}`);
});
