import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import t, { type Test } from 'tap';
import { untilLocked } from '../../../kit/postgres.js';
import { until } from '../../../kit/testing.js';
import { newPlantText } from '../support/plants.js';
import { type Service, startService } from '../support/service.js';

// A busy machine, too, reads what is sent at once within these times.
const timeouts = { headerMs: 1_000, requestMs: 1_500, checkMs: 50, idleMs: 5_000, silenceMs: 5_000 };
const service = await startService(t);
const { port, call, token } = service;

const create = (id: number, ...headers: string[]): string => {
  const body = newPlantText({ id, name: `plant ${id}` });
  return `${head('POST', '/plants', `Content-Length: ${body.length}`, ...headers)}${body}`;
};
const chunked = (...headers: string[]): string =>
  head('POST', '/plants', 'Transfer-Encoding: chunked', ...headers);
const head = (method: string, path: string, ...headers: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`]
    .concat('Content-Type: application/json', headers, '', '')
    .join('\r\n');
const garbage = 'no HTTP at all\r\n\r\n';

function open(t: Test, to = port): Socket {
  const socket = connect(to, '127.0.0.1');
  t.teardown(() => socket.destroy());
  return socket;
}

/** Sends these bytes, and reads until the server closes the connection. */
function exchange(t: Test, request: string): Promise<string> {
  const socket = open(t);
  socket.write(request);
  return text(socket);
}

const statusesOf = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** The log lines of a service that contain `part`. */
const lines = ({ log }: Service, part: string): Record<string, unknown>[] =>
  log()
    .split('\n')
    .filter((line) => line.includes(part))
    .map((line) => JSON.parse(line));

for (const [what, bytes] of Object.entries({
  'invalid bytes': garbage,
  'a header that is too long': head('GET', '/plants', `X-Long: ${'x'.repeat(20_000)}`),
})) {
  t.test(`what came whole before ${what} is answered before the 400`, async (t) => {
    t.strictSame(statusesOf(await exchange(t, create(24) + create(25) + bytes)), [200, 200, 400]);
  });
}

t.test('invalid bytes after a request get a 400 of their own, after the answer to the request', async (t) => {
  t.strictSame(statusesOf(await exchange(t, create(1) + garbage)), [200, 400]);
  const answers = await exchange(t, create(2) + create(3) + garbage);
  t.strictSame(statusesOf(answers), [200, 200, 400]);
  t.match(answers, /"plant 2"[\s\S]*"plant 3"[\s\S]*"error":400/);
  t.match(
    answers,
    /\r\nConnection: close\r\n[\s\S]*\{"error":400,"message":"The request is not valid HTTP\/1\.1\."\}$/,
  );
});

t.test('invalid bytes after a request with "Connection: close" get no answer', async (t) => {
  t.strictSame(statusesOf(await exchange(t, create(5, 'Connection: close') + garbage)), [200]);
});

t.test('the 400 for invalid bytes waits for a slow answer to the request before them', async (t) => {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  t.teardown(() => client.end());
  await client.query(`BEGIN; INSERT INTO plants (owner, id, name) VALUES ('owner', 4, 'plant 4')`);
  const socket = open(t);
  const answers = text(socket);
  socket.write(create(4) + garbage);
  await untilLocked(service.databaseUrl);
  // Another packet of it, which is as broken, and has no answer of its own.
  socket.write(garbage);
  await call('GET', '/live');
  await client.query('ROLLBACK');
  t.strictSame(statusesOf(await answers), [200, 400]);
  t.equal((await call('DELETE', '/plants/4')).status, 204, 'what was answered with 200 is stored');
});

t.test('a request with a broken body gets a 400, after the answers to earlier requests', async (t) => {
  const broken = `${chunked()}5\r\n{"id"\r\nno size\r\n`;
  t.strictSame(statusesOf(await exchange(t, broken)), [400]);
  const answers = await exchange(t, create(5) + create(6) + broken);
  t.strictSame(statusesOf(answers), [200, 200, 400]);
  t.match(answers, /"plant 5"[\s\S]*"plant 6"[\s\S]*\r\nconnection: close\r\n[\s\S]*"error":400/i);
});

t.test('a request that was answered before its body broke gets no second answer', async (t) => {
  const socket = open(t);
  socket.write(head('GET', '/plants?limit=1', 'Transfer-Encoding: chunked'));
  const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.write(`no size\r\n${create(7)}`);
  t.strictSame(statusesOf(String(first) + (await text(socket))), [200]);
  t.equal((await call('DELETE', '/plants/7')).status, 404, 'nothing more is taken from the connection');
});

t.test('after refusing a request whose body has not come, the server sends nothing more', async (t) => {
  const impatient = await startService(t, { timeouts });
  const refused = 'POST /plants HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const rest of ['5\r\n{"id"', 'no size\r\n']) {
    const socket = open(t, impatient.port);
    socket.write(refused);
    const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.write(rest);
    t.strictSame(statusesOf(String(first) + (await text(socket))), [401], rest);
  }
});

t.test('a client that disconnects in the middle of a body is no server error', async (t) => {
  const own = await startService(t);
  const cut = `${create(8).replace(token, own.token).slice(0, -9)}`;
  t.test('a client that ends its connection in the middle of a body gets a logged 400', async (t) => {
    const socket = open(t, own.port);
    socket.end(cut);
    t.match(await text(socket), /^HTTP\/1\.1 400 [\s\S]*"The request broke off before its end\."\}$/);
    await until('it is logged', () => lines(own, 'HPE_').length > 0);
    t.match(lines(own, 'HPE_'), [{ level: 30, status: 400, code: 'HPE_INVALID_EOF_STATE' }]);
  });
  t.test('a client that resets its connection in the middle of a body is logged as unanswered', async (t) => {
    const socket = open(t, own.port);
    socket.write(`${create(9).replace(token, own.token)}${cut}`);
    // Both requests were sent together: if the first is answered, the second has arrived.
    await new Promise((resolve) => socket.once('data', resolve));
    socket.resetAndDestroy();
    // The one before has ended its connection in the middle of a body, too.
    await until('it is logged', () => lines(own, '"unanswered"').length === 2);
    t.match(lines(own, '"unanswered"')[1], { level: 30, req: { method: 'POST', route: '/plants' } });
  });
  t.strictSame(lines(own, '"statusCode":500'), []);
  t.strictSame(lines(own, '"level":50'), []);
});

t.test('requests that are malformed or too slow are logged without any of their bytes', async (t) => {
  const impatient = await startService(t, { timeouts });
  const secret = `Authorization: Bearer ${token}\r\n`;
  for (const [own, request, status, code] of [
    [service, `${token} / HTTP/1.1\r\n${secret}\r\n`, 400, 'HPE_INVALID_METHOD'],
    [service, `GET / HTTP/1.1\r\n${secret}X: ${'x'.repeat(20_000)}\r\n\r\n`, 400, 'HPE_HEADER_OVERFLOW'],
    [impatient, `GET / HTTP/1.1\r\n${secret}`, 408, 'ERR_HTTP_REQUEST_TIMEOUT'],
    [impatient, create(10).replace(token, impatient.token).slice(0, -9), 408, 'ERR_HTTP_REQUEST_TIMEOUT'],
  ] as const) {
    const before = lines(own, code).length;
    const socket = open(t, own.port);
    socket.write(request);
    const answers = await text(socket);
    t.strictSame(statusesOf(answers), [status], code);
    t.match(lines(own, code).slice(before), [{ level: 30, status, code }]);
  }
  for (const own of [service, impatient]) {
    for (const secret of [token, impatient.token]) t.notOk(own.log().includes(secret.slice(6)));
  }
});
