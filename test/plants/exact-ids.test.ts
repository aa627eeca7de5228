import fc from 'fast-check';
import pg from 'pg';
import t from 'tap';
import { newPlantText, parsedPlant } from '../../packages/service/test/support/plants.js';
import { startService } from '../../packages/service/test/support/service.js';

const { databaseUrl, newCaller } = await startService(t);

/** Ids in a body and in a path are int64, to the last digit: OpenAPI 3.0.3, "Data Types". */
const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];
/** 2^53 + 1, the first positive integer that no double holds. */
const odd = 2n ** 53n + 1n;

t.test('an id above 2^53 creates and deletes exactly its own plant', async (t) => {
  const call = await newCaller();
  for (const id of [odd - 1n, odd, odd + 1n]) {
    t.equal(
      (await call('POST', '/plants', { body: newPlantText(`{"id":${id},"name":"${id}"}`) })).status,
      200,
    );
  }
  t.equal((await call('DELETE', `/plants/${odd}`)).status, 204);
  t.equal((await call('DELETE', `/plants/${odd}`)).status, 404);
  t.strictSame((await call('GET', '/plants')).body, [
    parsedPlant({ name: `${odd - 1n}` }),
    parsedPlant({ name: `${odd + 1n}` }),
  ]);
});

t.test('every int64 id is stored and deleted exactly', async (t) => {
  const call = await newCaller();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  t.teardown(() => client.end());
  const ids = fc.oneof(
    fc.bigInt(least, greatest),
    fc.constantFrom(least, least + 1n, -1n, 0n, odd, greatest - 1n, greatest),
  );
  await fc.assert(
    fc.asyncProperty(ids, async (id) => {
      t.equal(
        (await call('POST', '/plants', { body: newPlantText({ name: 'every int64', id }) })).status,
        200,
      );
      const { rows } = await client.query("SELECT id::text FROM plants WHERE name = 'every int64'");
      t.strictSame(rows, [{ id: String(id) }]);
      t.equal((await call('DELETE', `/plants/${id}`)).status, 204);
    }),
    { numRuns: 50 },
  );
});

t.test('an id beyond the range of int64 is a 400', async (t) => {
  const call = await newCaller();
  for (const id of [least - 1n, greatest + 1n, 10n ** 400n]) {
    t.match(await call('POST', '/plants', { body: newPlantText(`{"id":${id},"name":"x"}`) }), {
      status: 400,
      body: { error: 400 },
    });
    t.match(await call('DELETE', `/plants/${id}`), { status: 400, body: { error: 400 } });
  }
  t.strictSame((await call('GET', '/plants')).body, []);
});

t.test('an id in a path is a plain decimal integer', async (t) => {
  const call = await newCaller();
  await call('POST', '/plants', { body: newPlantText('{"id":7,"name":"x"}') });
  for (const id of [
    '0x7',
    '7.0',
    '7e0',
    '07',
    '+7',
    '%207',
    '7%20',
    '7%00',
    'seven',
    '٧',
    '--7',
    '-',
    '%37%',
    '7/',
  ]) {
    const { status, body } = await call('DELETE', `/plants/${id}`);
    t.ok(status === 400 || (id === '7/' && status === 404), `${id}: ${status}`);
    t.match(body, { error: status, message: String });
  }
  t.equal(
    (await call('DELETE', '/plants/%37')).status,
    204,
    'percent-encoded digits are the same path (RFC 3986, section 6.2.2.2)',
  );
});

t.test('a limit is a plain decimal integer from 1 to 2147483647', async (t) => {
  const call = await newCaller();
  for (const limit of [
    '0',
    '-1',
    '2147483648',
    '1.0',
    '1e3',
    '0x10',
    '%205',
    '5%20',
    '+5',
    '05',
    '',
    'all',
    '1&limit=2',
    'null',
  ]) {
    t.match(await call('GET', `/plants?limit=${limit}`), { status: 400, body: { error: 400 } }, limit);
  }
  for (const limit of ['1', '2147483647', '%31', '1&page=2'])
    t.equal((await call('GET', `/plants?limit=${limit}`)).status, 200, limit);
});
