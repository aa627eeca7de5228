import t from 'tap';
import { newPlantText, parsedPlant } from '../../scripts/kit/plants.js';
import { startService } from '../support/service.js';

const { newCaller } = await startService(t);

t.test('a deleted plant is gone, and the answer has no body', async (t) => {
  const call = await newCaller();
  await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Ficus"}') });
  const { status, text, headers } = await call('DELETE', '/plants/1');
  t.strictSame([status, text], [204, '']);
  t.strictSame(
    [headers.get('content-length'), headers.get('content-type'), headers.get('transfer-encoding')],
    [null, null, null],
  );
  t.strictSame((await call('GET', '/plants')).body, []);
});

t.test('deleting a plant that was deleted, never existed or belongs to another owner is a 404', async (t) => {
  const [call, neighbour] = [await newCaller(), await newCaller()];
  await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Ficus"}') });
  await neighbour('POST', '/plants', { body: newPlantText('{"id":2,"name":"Fern"}') });
  await call('DELETE', '/plants/1');
  for (const id of [1, 2, 3])
    t.match(await call('DELETE', `/plants/${id}`), { status: 404, body: { error: 404 } });
  t.strictSame((await neighbour('GET', '/plants')).body, [parsedPlant({ name: 'Fern' })]);
});

t.test('the id of a deleted plant can be used again', async (t) => {
  const call = await newCaller();
  await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Ficus"}') });
  await call('DELETE', '/plants/1');
  t.equal((await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Fern"}') })).status, 200);
  t.strictSame((await call('GET', '/plants')).body, [parsedPlant({ name: 'Fern' })]);
});

t.test('of simultaneous deletes of one plant, exactly one succeeds', async (t) => {
  const call = await newCaller();
  await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Ficus"}') });
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await call('DELETE', '/plants/1')).status),
  );
  t.equal(statuses.filter((status) => status === 204).length, 1);
  t.equal(statuses.filter((status) => status === 404).length, 19);
});

t.test('a body of a delete is ignored, whatever its type', async (t) => {
  const call = await newCaller();
  for (const headers of [
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
    { 'content-type': '?' },
  ]) {
    await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Ficus"}') });
    t.equal((await call('DELETE', '/plants/1', { headers, body: 'x'.repeat(100_000) })).status, 204);
  }
});
