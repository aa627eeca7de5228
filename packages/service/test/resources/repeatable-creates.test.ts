import { serveResources } from '../support/resources.js';

/** A create answers when its item is stored for good, and may be sent again. */

const forEachResource = await serveResources();

forEachResource(
  'a created item is in the answer and in the list',
  async (t, { path, item, answer, optional, newOwner }) => {
    const { call } = await newOwner();
    const created = await call('POST', path, { body: item(7, 'first', optional) });
    t.equal(created.status, 200);
    t.strictSame(created.body, answer(7, 'first', optional));
    t.strictSame((await call('GET', path)).body, [answer(7, 'first', optional)]);
  },
);

forEachResource(
  'a created item is read by its id',
  async (t, { path, item, answer, optional, newOwner }) => {
    const { call } = await newOwner();
    await call('POST', path, { body: item(7, 'first', optional) });
    t.match(await call('GET', `${path}/7`), { status: 200, body: answer(7, 'first', optional) });
    t.match(await call('GET', `${path}/8`), { status: 404, body: { error: 404 } });
  },
  ({ method, path }) => method === 'GET' && path.endsWith('/{id}'),
);

forEachResource(
  'an item is committed before its create is answered',
  async (t, { path, item, table, newOwner, query }) => {
    const { name, call } = await newOwner();
    await call('POST', path, { body: item(4711, 'first') });
    const { rows } = await query(`SELECT name FROM ${table.table} WHERE owner = $1 AND id = 4711`, [name]);
    t.strictSame(rows, [{ name: 'first' }]);
  },
);

forEachResource(
  'repeating a create with the same content answers 200 and stores nothing more',
  async (t, resource) => {
    const { path, item, answer, optional, newOwner } = resource;
    const { call } = await newOwner();
    for (const [id, others] of [{}, optional].entries()) {
      const body = item(id + 1, 'first', others);
      const first = await call('POST', path, { body });
      const second = await call('POST', path, { body });
      t.strictSame([second.status, second.text], [200, first.text]);
    }
    t.strictSame((await call('GET', path)).body, [answer(1, 'first'), answer(2, 'first', optional)]);
  },
);

forEachResource(
  'repeating a create with other content answers 409 and changes nothing',
  async (t, resource) => {
    const { path, item, answer, optional, newOwner } = resource;
    const { call } = await newOwner();
    await call('POST', path, { body: item(1, 'first', optional) });
    const withoutOne = Object.keys(optional).map((name) =>
      item(1, 'first', { ...optional, [name]: undefined }),
    );
    for (const body of [item(1, 'First', optional), ...withoutOne]) {
      t.match(await call('POST', path, { body }), { status: 409, body: { error: 409, message: String } });
    }
    t.strictSame((await call('GET', path)).body, [answer(1, 'first', optional)]);
  },
);

forEachResource(
  'simultaneous creates of one id with equal content all succeed',
  async (t, { path, item, answer, newOwner }) => {
    const { call } = await newOwner();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => call('POST', path, { body: item(5, 'first') })),
    );
    t.strictSame(
      answers.map(({ status, body }) => [status, body]),
      Array(30).fill([200, answer(5, 'first')]),
    );
    t.strictSame((await call('GET', path)).body, [answer(5, 'first')]);
  },
);

forEachResource(
  'of simultaneous creates of one id with different content, one succeeds and the others get 409',
  async (t, { path, item, newOwner }) => {
    const { call } = await newOwner();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, number) => call('POST', path, { body: item(5, `item ${number}`) })),
    );
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    t.strictSame(others, []);
    t.equal(answers.filter(({ status }) => status === 409).length, 29);
    t.strictSame((await call('GET', path)).body, [winner?.body]);
  },
);

forEachResource(
  'simultaneous creates and deletes of one id each get a documented answer',
  async (t, { path, item, newOwner }) => {
    const { call } = await newOwner();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        number % 2 === 0 ? call('POST', path, { body: item(5, 'first') }) : call('DELETE', `${path}/5`),
      ),
    );
    for (const [number, { status }] of answers.entries())
      t.ok(number % 2 === 0 ? status === 200 : [204, 404].includes(status));
  },
);

forEachResource(
  'members that the contract does not name are neither stored nor answered',
  async (t, { path, item, answer, newOwner }) => {
    const { call } = await newOwner();
    const strangers = { owner: 'neighbour', toString: 1, nested: { constructor: [{}] }, unknown: 1e3 };
    const created = await call('POST', path, { body: item(1, 'first', strangers) });
    t.strictSame([created.status, created.body], [200, answer(1, 'first')]);
    t.strictSame((await call('GET', path)).body, [answer(1, 'first')]);
  },
);
