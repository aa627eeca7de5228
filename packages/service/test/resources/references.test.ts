import t from 'tap';
import { gardenService } from '../../../../examples/gardens/garden-service.js';
import { startService } from '../support/service.js';

/** Beds refer to gardens by a foreign key, for which their tables have names. */

const { newCaller } = await startService(t, { parts: gardenService });

const garden = (id: number) => ({ id, name: `garden ${id}` });
const bed = (id: number, ofGarden: number) => ({ id, garden: ofGarden, name: `bed ${id}` });

t.test('a bed in a garden that the caller does not have is a 404, and is not stored', async (t) => {
  const [call, neighbour] = [await newCaller(), await newCaller()];
  await neighbour('POST', '/gardens', { body: garden(1) });
  t.match(await call('POST', '/beds', { body: bed(1, 1) }), { status: 404, body: { error: 404 } });
  t.strictSame((await call('GET', '/beds')).body, []);
  await call('POST', '/gardens', { body: garden(1) });
  t.match(await call('POST', '/beds', { body: bed(1, 1) }), { status: 200, body: bed(1, 1) });
});

t.test('a garden is deleted after its beds, and not before', async (t) => {
  const call = await newCaller();
  await call('POST', '/gardens', { body: garden(1) });
  await call('POST', '/beds', { body: bed(1, 1) });
  t.match(await call('DELETE', '/gardens/1'), { status: 409, body: { error: 409 } });
  t.strictSame((await call('GET', '/gardens/1')).body, garden(1));
  t.equal((await call('DELETE', '/beds/1')).status, 204);
  t.equal((await call('DELETE', '/gardens/1')).status, 204);
});

t.test('of creates that share a statement, only those that break a reference are refused', async (t) => {
  const call = await newCaller();
  await call('POST', '/gardens', { body: garden(1) });
  const ids = Array.from({ length: 40 }, (_, at) => at + 1);
  const isBad = (id: number) => id % 10 === 3;
  const answers = await Promise.all(
    ids.map((id) => call('POST', '/beds', { body: bed(id, isBad(id) ? 2 : 1) })),
  );
  t.strictSame(
    answers.map(({ status }) => status),
    ids.map((id) => (isBad(id) ? 404 : 200)),
  );
  t.strictSame(
    (await call('GET', '/beds')).body,
    ids.filter((id) => !isBad(id)).map((id) => bed(id, 1)),
  );
});

t.test('a garden and its first bed at once: the bed is stored, or its garden was not there', async (t) => {
  const call = await newCaller();
  for (const id of [1, 2, 3, 4, 5]) {
    const [made, planted] = await Promise.all([
      call('POST', '/gardens', { body: garden(id) }),
      call('POST', '/beds', { body: bed(id, id) }),
    ]);
    t.equal(made.status, 200);
    t.ok([200, 404].includes(planted.status), String(planted.status));
    t.equal((await call('GET', `/beds/${id}`)).status, planted.status);
  }
});
