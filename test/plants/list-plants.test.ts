import pg from 'pg';
import t from 'tap';
import { insertPlants, newPlantText, parsedPlant, plantText } from '../../scripts/kit/plants.js';
import { plantMany } from '../support/many-plants.js';
import { startService } from '../support/service.js';

const { databaseUrl, tokens, call, newCaller } = await startService(t);

t.test('plants are listed by ascending id, each once, with exactly their documented members', async (t) => {
  const call = await newCaller();
  for (const id of [3n, -1n, 2n ** 63n - 1n, 0n, -(2n ** 63n), 10n, 9n]) {
    await call('POST', '/plants', {
      body: newPlantText({ id, name: `${id}`, tag: id === 0n ? '' : undefined }),
    });
  }
  const { text, headers } = await call('GET', '/plants');
  t.equal(
    text,
    `[${['-9223372036854775808', '-1', '0', '3', '9', '10', '9223372036854775807']
      .map((name) => plantText({ name, tag: name === '0' ? '' : undefined }))
      .join(',')}]`,
  );
  t.match(headers.get('content-type'), /^application\/json/);
});

t.test('the list of an owner without plants is an empty array', async (t) => {
  const call = await newCaller();
  t.equal((await call('GET', '/plants')).text, '[]');
  t.equal((await call('GET', '/plants?limit=5')).text, '[]');
});

t.test('limit cuts the list exactly, at sizes below, at and above a page and the whole list', async (t) => {
  const count = 10_100;
  await plantMany(databaseUrl, 'owner', count);
  await plantMany(databaseUrl, 'neighbour', 10);
  const pages = [100, 500, 2_100, 3_700, 8_500, count].flatMap((end) => [end - 1, end, end + 1]);
  for (const limit of [1, 2, ...pages, 2_147_483_647]) {
    const { body } = await call('GET', `/plants?limit=${limit}`);
    const expected = Array.from({ length: Math.min(limit, count) }, (_, index) => `plant ${index + 1}`);
    t.strictSame(Array.isArray(body) && body.map(({ name }) => name), expected, `limit=${limit}`);
  }
});

t.test('names and tags of every kind are listed exactly, in all pages', async (t) => {
  const texts = [
    '+',
    '+a',
    ' ',
    '\n',
    '","',
    '\\',
    '\\x1f',
    "'",
    'null',
    '[]',
    '🪴',
    '\u2028',
    '\u007f',
    'a'.repeat(255),
  ];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Some texts contain the control characters that the store uses as separators.
  for (const { owner, empty, special = 'x' } of [
    { owner: 'without empty tags', empty: [null] },
    { owner: 'with all tags', empty: [''] },
    { owner: 'with empty and without tags', empty: [null, ''] },
    { owner: 'separated', empty: [null], special: 'x\u001fy' },
    { owner: 'controlled', empty: [null], special: '\u0001\u001e\u001f' },
  ]) {
    const tags = [...empty, ...texts];
    // Enough for pages with a statement of their own, and for pages that share one.
    const plants = Array.from({ length: 9_000 }, (_, index) => ({
      name: [450, 5_000].includes(index) ? special : (texts[index % texts.length] ?? ''),
      tag: [550, 7_000].includes(index) ? special : (tags[index % tags.length] ?? null),
    }));
    await client.query(
      insertPlants(
        `SELECT $1::text, place, name, tag
         FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS plant (name, tag, place)`,
      ),
      [owner, plants.map(({ name }) => name), plants.map(({ tag }) => tag)],
    );
    const { body } = await call('GET', '/plants', { token: await tokens.issue(owner) });
    t.strictSame(
      body,
      plants.map(({ name, tag }) => parsedPlant({ name, tag: tag ?? undefined })),
      owner,
    );
  }
  await client.end();
});

t.test('simultaneous lists share statements, and each gets its own plants', async (t) => {
  const owners = ['a', 'b', 'nobody'];
  for (const owner of owners.slice(0, 2)) await plantMany(databaseUrl, owner, 150);
  const issued = await Promise.all(owners.map((owner) => tokens.issue(owner)));
  const limits = [1, 20, 99, 100, 101, 150, 1_000];
  const asked = Array.from({ length: 10 }, () => limits)
    .flat()
    .flatMap((limit) => owners.map((owner, index) => ({ limit, owner, token: issued[index] })));
  await Promise.all(
    asked.map(async ({ limit, owner, token }) => {
      const { body } = await call('GET', `/plants?limit=${limit}`, { token });
      const count = owner === 'nobody' ? 0 : Math.min(limit, 150);
      const expected = Array.from({ length: count }, (_, index) => `plant ${index + 1}`);
      t.strictSame(Array.isArray(body) && body.map(({ name }) => name), expected, `${owner}, ${limit}`);
    }),
  );
});

t.test('a long list arrives complete', async (t) => {
  const token = await tokens.issue('an owner of many');
  await plantMany(databaseUrl, 'an owner of many', 200_000);
  const { body } = await call('GET', '/plants', { token });
  t.equal(Array.isArray(body) && body.length, 200_000);
});

t.test('HEAD on the list is answered without reading the table', async (t) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Any read of the table would now wait for this lock.
  await client.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
  t.teardown(() => client.end());
  const { status, headers, text } = await call('HEAD', '/plants');
  t.strictSame([status, headers.get('allow'), text], [405, 'GET, POST', '']);
});
