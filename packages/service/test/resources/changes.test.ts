import type { Operation } from '../../src/contract/document/operations.js';
import { serveResources } from '../support/resources.js';

/** What becomes of an item that is updated or deleted, also by many at once. */

const forEachResource = await serveResources();

forEachResource('a deleted item is gone, and the answer has no body', async (t, { path, item, newOwner }) => {
  const { call } = await newOwner();
  await call('POST', path, { body: item(1, 'first') });
  const { status, text, headers } = await call('DELETE', `${path}/1`);
  t.strictSame([status, text], [204, '']);
  t.strictSame(
    [headers.get('content-length'), headers.get('content-type'), headers.get('transfer-encoding')],
    [null, null, null],
  );
  t.strictSame((await call('GET', path)).body, []);
});

forEachResource(
  'deleting an item that was deleted or never existed is a 404',
  async (t, { path, item, newOwner }) => {
    const { call } = await newOwner();
    await call('POST', path, { body: item(1, 'first') });
    await call('DELETE', `${path}/1`);
    for (const id of [1, 3])
      t.match(await call('DELETE', `${path}/${id}`), { status: 404, body: { error: 404 } });
  },
);

forEachResource('the id of a deleted item can be used again', async (t, { path, item, answer, newOwner }) => {
  const { call } = await newOwner();
  await call('POST', path, { body: item(1, 'first') });
  await call('DELETE', `${path}/1`);
  t.equal((await call('POST', path, { body: item(1, 'second') })).status, 200);
  t.strictSame((await call('GET', path)).body, [answer(1, 'second')]);
});

forEachResource(
  'of simultaneous deletes of one item, exactly one succeeds',
  async (t, { path, item, newOwner }) => {
    const { call } = await newOwner();
    await call('POST', path, { body: item(1, 'first') });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await call('DELETE', `${path}/1`)).status),
    );
    t.equal(statuses.filter((status) => status === 204).length, 1);
    t.equal(statuses.filter((status) => status === 404).length, 19);
  },
);

forEachResource('a body of a delete is ignored, whatever its type', async (t, { path, item, newOwner }) => {
  const { call } = await newOwner();
  for (const type of ['application/json', 'text/plain', '?']) {
    await call('POST', path, { body: item(1, 'first') });
    const headers = { 'content-type': type };
    t.equal((await call('DELETE', `${path}/1`, { headers, body: 'x'.repeat(100_000) })).status, 204);
  }
});

const isUpdate = ({ method }: Operation) => method === 'PUT';

forEachResource(
  'an update replaces all members, may be repeated, and is a 404 if there is no such item',
  async (t, resource) => {
    const { path, item, answer, content, optional, newOwner } = resource;
    const { call } = await newOwner();
    await call('POST', path, { body: item(1, 'first', optional) });
    for (const body of [content('second'), content('second'), content('third', optional)]) {
      const expected = { ...answer(1, ''), ...JSON.parse(body) };
      t.match(await call('PUT', `${path}/1`, { body }), { status: 200 });
      t.strictSame((await call('GET', `${path}/1`)).body, expected);
      t.strictSame((await call('GET', path)).body, [expected]);
    }
    t.match(await call('PUT', `${path}/2`, { body: content('x') }), { status: 404, body: { error: 404 } });
    t.match(
      await call('POST', path, { body: item(1, 'first', optional) }),
      { status: 409 },
      'a create of what it was',
    );
  },
  isUpdate,
);

forEachResource(
  'of simultaneous updates of one item, each is answered, and one is the last',
  async (t, resource) => {
    const { path, item, content, newOwner } = resource;
    const { call } = await newOwner();
    await call('POST', path, { body: item(1, 'first') });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => call('PUT', `${path}/1`, { body: content(`name ${at}`) })),
    );
    t.strictSame(
      answers.map(({ status }) => status),
      Array(30).fill(200),
    );
    const { body } = await call('GET', `${path}/1`);
    t.ok(answers.some((answer) => JSON.stringify(answer.body) === JSON.stringify(body)));
  },
  isUpdate,
);
