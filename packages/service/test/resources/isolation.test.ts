import { serveResources } from '../support/resources.js';

/** An owner sees and changes only its own items, whatever operation the contract has. */

const forEachResource = await serveResources();

forEachResource(
  'two owners may use the same id, and neither learns of the other',
  async (t, { path, item, answer, newOwner }) => {
    const [ada, bob] = [await newOwner(), await newOwner()];
    t.equal((await ada.call('POST', path, { body: item(1, 'of Ada') })).status, 200);
    t.equal((await bob.call('POST', path, { body: item(1, 'of Bob') })).status, 200);
    t.strictSame((await ada.call('GET', path)).body, [answer(1, 'of Ada')]);
    t.strictSame((await bob.call('GET', path)).body, [answer(1, 'of Bob')]);
  },
);

forEachResource(
  "every operation on another owner's item is a 404 and changes nothing",
  async (t, resource) => {
    const { path, item, answer, content, operations, newOwner } = resource;
    const [ada, bob] = [await newOwner(), await newOwner()];
    await ada.call('POST', path, { body: item(2, 'of Ada') });
    const onItems = operations.filter((operation) => operation.path !== path);
    t.ok(onItems.length > 0);
    for (const { method, requestBody } of onItems) {
      const body = requestBody === undefined ? undefined : content('of Bob');
      t.match(await bob.call(method, `${path}/2`, { body }), { status: 404, body: { error: 404 } }, method);
    }
    t.strictSame((await ada.call('GET', path)).body, [answer(2, 'of Ada')]);
  },
);
