import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import t, { type Test } from 'tap';
import { plantMany } from './support/many-plants.js';
import { startOwnPostgres } from './support/own-postgres.js';
import { until } from './support/process.js';
import { startService } from './support/service.js';

/**
 * A list of 10 MB, so that it cannot end before it is read: the kernel keeps up to 4 MB of what a connection has
 * not read yet (measured; net.ipv4.tcp_wmem).
 */
function plantTooMuch(databaseUrl: string, owner: string): Promise<void> {
  return plantMany(databaseUrl, owner, 10_000, '🌵'.repeat(240));
}

/** Asks for a whole list with each of the tokens, and reads none of them; each has begun when this returns. */
async function startReaders(t: Test, port: number, tokens: readonly string[]): Promise<Socket[]> {
  const readers = tokens.map((token) => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  });
  t.teardown(() => {
    for (const socket of readers) socket.destroy();
  });
  await Promise.all(
    readers.map(async (socket) => {
      await once(socket, 'readable');
      t.match(String(socket.read()).slice(0, 12), 'HTTP/1.1 200', 'it has begun');
    }),
  );
  return readers;
}

t.test('plants are listed by ascending id, each once, with exactly their documented members', async (t) => {
  const { call } = await startService(t);
  for (const id of [3n, -1n, 2n ** 63n - 1n, 0n, -(2n ** 63n), 10n, 9n]) {
    await call('POST', '/plants', { body: `{"id":${id},"name":"${id}"${id === 0n ? ',"tag":""' : ''}}` });
  }
  const { text, headers } = await call('GET', '/plants');
  t.equal(
    text,
    '[{"name":"-9223372036854775808"},{"name":"-1"},{"name":"0","tag":""},{"name":"3"},{"name":"9"},{"name":"10"},{"name":"9223372036854775807"}]',
  );
  t.match(headers.get('content-type'), /^application\/json/);
});

t.test('an owner without plants gets an empty array', async (t) => {
  const { call } = await startService(t);
  t.equal((await call('GET', '/plants')).text, '[]');
  t.equal((await call('GET', '/plants?limit=5')).text, '[]');
});

t.test('limit cuts exactly, below, at and above the sizes of pages and of the list', async (t) => {
  const { call, databaseUrl } = await startService(t);
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

t.test('names and tags of every kind arrive as they are, in all pages', async (t) => {
  const { call, databaseUrl, tokens } = await startService(t);
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
  // Some with a character in the midst of one of them that the store itself may set between two.
  for (const { owner, empty, special = 'x' } of [
    { owner: 'without empty tags', empty: [null] },
    { owner: 'with all tags', empty: [''] },
    { owner: 'with empty and without tags', empty: [null, ''] },
    { owner: 'separated', empty: [null], special: 'x\u001fy' },
    { owner: 'controlled', empty: [null], special: '\u0001\u001e\u001f' },
  ]) {
    const tags = [...empty, ...texts];
    // In pages that have a statement of their own, and in some that share one.
    const plants = Array.from({ length: 9_000 }, (_, index) => ({
      name: [450, 5_000].includes(index) ? special : (texts[index % texts.length] ?? ''),
      tag: [550, 7_000].includes(index) ? special : (tags[index % tags.length] ?? null),
    }));
    await client.query(
      `INSERT INTO plants (owner, id, name, tag)
       SELECT $1, place, name, tag FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS plant (name, tag, place)`,
      [owner, plants.map(({ name }) => name), plants.map(({ tag }) => tag)],
    );
    const { body } = await call('GET', '/plants', { token: await tokens.issue(owner) });
    t.strictSame(
      body,
      plants.map(({ name, tag }) => (tag === null ? { name } : { name, tag })),
      owner,
    );
  }
  await client.end();
});

t.test('lists that are asked for at the same moment share statements, and each is its own', async (t) => {
  const { call, databaseUrl, tokens } = await startService(t);
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

t.test('a long list arrives whole', async (t) => {
  const { call, databaseUrl } = await startService(t);
  await plantMany(databaseUrl, 'owner', 200_000);
  const { body } = await call('GET', '/plants');
  t.equal(Array.isArray(body) && body.length, 200_000);
});

t.test('a reader that does not read holds no database connection', async (t) => {
  const { call, token, port, databaseUrl } = await startService(t);
  await plantTooMuch(databaseUrl, 'owner');
  // More of them than there are connections.
  await startReaders(t, port, Array(20).fill(token));
  t.match(await call('POST', '/plants', { body: '{"id":0,"name":"in between"}' }), { status: 200 });
  t.match(await call('GET', '/plants?limit=1'), { status: 200, body: [{ name: 'in between' }] });
});

t.test('long lists are bounded, for an owner and for all; one more is a 503 at once', async (t) => {
  const { call, newCaller, tokens, token, port, databaseUrl } = await startService(t);
  const owners = ['owner', 'b', 'c', 'd', 'e', 'f'];
  for (const owner of owners) await plantTooMuch(databaseUrl, owner);
  const issued = [token, ...(await Promise.all(owners.slice(1).map((owner) => tokens.issue(owner))))];
  const own = await startReaders(t, port, Array(20).fill(token));
  const refused = await call('GET', '/plants');
  t.match(refused, { status: 503, body: { error: 503 } });
  t.equal(refused.headers.get('retry-after'), '1');
  t.equal((await call('GET', '/plants?limit=100')).status, 200, 'a short list is not among them');
  const other = { token: issued.at(-1) };
  t.equal((await call('GET', '/plants?limit=101', other)).status, 200, 'another owner has its own bound');

  // One owner after the other: more at once would make first pages wait for a connection.
  for (const one of issued.slice(1, -1)) await startReaders(t, port, Array(20).fill(one));
  t.equal((await call('GET', '/plants?limit=101', other)).status, 503, 'and all together have one');
  t.equal((await (await newCaller())('GET', '/plants')).status, 200);
  own.pop()?.destroy();
  await until('there is room again', async () => {
    return (await call('GET', '/plants?limit=101', other)).status === 200;
  });
});

t.test('HEAD is answered without reading the table', async (t) => {
  const { call, databaseUrl } = await startService(t);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Whoever reads the table now waits for this lock.
  await client.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
  t.teardown(() => client.end());
  const { status, headers, text } = await call('HEAD', '/plants');
  t.strictSame([status, headers.get('allow'), text], [405, 'GET, POST', '']);
});

t.test('where PostgreSQL dies midway, the reader sees a broken transfer', async (t) => {
  const cluster = await startOwnPostgres(t);
  const { token, port } = await startService(t, { databaseUrl: cluster.url });
  await plantMany(cluster.url, 'owner', 300_000);
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, 'readable');
  await cluster.stop();
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  await once(socket, 'close');
  const text = Buffer.concat(received).toString();
  t.match(text.slice(0, 15), 'HTTP/1.1 200 OK');
  t.ok(text.includes('"plant 1"'));
  t.notOk(text.includes('"plant 300000"'));
  t.notOk(
    text.endsWith('\r\n0\r\n\r\n'),
    'the chunk that ends a transfer (RFC 9112, section 7.1) is missing',
  );
});
