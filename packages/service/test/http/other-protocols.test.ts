import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { until } from '../../../kit/testing.js';
import { newPlantText } from '../support/plants.js';
import { startService } from '../support/service.js';

const { port, call, token, log } = await startService(t);

function send(t: Test, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(bytes);
  return socket;
}

const exchange = (t: Test, bytes: string): Promise<string> => text(send(t, bytes));
const statusesOf = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const create = (id: number): string => {
  const body = newPlantText({ id, name: 'Ficus' });
  const head = ['POST /plants HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`];
  return [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n');
};

t.test('RTSP is a 400, as whatever else is not HTTP, and no failure of the server', async (t) => {
  for (const method of ['PLAY', 'DESCRIBE', 'SETUP', 'GET_PARAMETER']) {
    for (const path of ['/x', '/plants']) {
      const answer = await exchange(t, `${method} ${path} RTSP/1.0\r\nConnection: keep-alive\r\n\r\n`);
      t.strictSame(statusesOf(answer), [400], `${method} ${path}`);
      t.match(
        answer,
        /\r\nConnection: close\r\n[\s\S]*\{"error":400,"message":"The request is not valid HTTP\/1\.1\."\}$/,
      );
    }
  }
  t.strictSame(statusesOf(await exchange(t, 'PRI /x HTTP/1.1\r\nHost: x\r\n\r\n')), [400]);
  t.notMatch(log(), /fastify bug|"level":50/);
});

t.test('it waits for the answers before it', async (t) => {
  const rtsp = 'PLAY /x RTSP/1.0\r\nConnection: keep-alive\r\n\r\n';
  t.strictSame(statusesOf(await exchange(t, create(1) + rtsp)), [200, 400]);
  await exchange(t, rtsp + create(2)).catch(() => {});
  t.equal((await call('DELETE', '/plants/2')).status, 404, 'what follows it is not carried out');
  await until('it is logged', () => log().includes('"reason":"pipelined"'));
});

t.test('a CONNECT closes its connection, and nothing behind it is carried out', async (t) => {
  for (const before of ['', create(3)]) {
    for (const target of ['x:443', 'x', '/plants'])
      await exchange(t, `${before}CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n${create(7)}`).catch(() => {});
  }
  t.equal((await call('DELETE', '/plants/7')).status, 404);
  await until('each is logged', () => log().split('"reason":"CONNECT"').length === 1 + 6);
});

const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x';
const chunkedPost = (...headers: string[]): string =>
  ['POST /plants HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, 'Content-Type: application/json']
    .concat('Transfer-Encoding: chunked', headers, '', '')
    .join('\r\n');

t.test('an Upgrade is ignored (RFC 9110, section 7.8), and nothing behind it is read', async (t) => {
  const asked = create(5).replace('Host', `${upgrade}\r\nHost`);
  const body = newPlantText({ id: 6, name: 'Ficus' });
  const chunked = `${chunkedPost(upgrade)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  for (const [request, expected] of [
    [create(4) + asked, 2],
    [chunked, 1],
    [asked, 1],
    // Node.js drops the rest of the packet. The next one must not be taken for a request.
    [`${asked}POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n`, 1],
  ] as const) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.teardown(() => socket.destroy());
    const closed = once(socket, 'close');
    let answers = '';
    socket.on('data', (chunk) => (answers += chunk)).write(request);
    await once(socket, 'data');
    socket.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
    t.match(answers, /^connection: close\r$/im);
    t.strictSame(statusesOf(answers), Array(expected).fill(200));
  }
});

t.test('who leaves after an Upgrade does not end the service', async (t) => {
  for (let round = 0; round < 20; round++) {
    const socket = send(t, `${create(3)}${create(3).replace('Host', `${upgrade}\r\nHost`)}`);
    await once(socket, 'connect');
    if (round % 2 === 0) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  t.equal((await call('GET', '/live')).status, 200);
});

t.test('a client that resets after its CONNECT does not end the service', async (t) => {
  for (let round = 0; round < 20; round++) {
    const socket = send(t, 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'connect');
    socket.resetAndDestroy();
  }
  t.equal((await call('GET', '/live')).status, 200);
});

t.test(
  'HTTP/1.0 with a Transfer-Encoding is answered, and its connection closed (RFC 9112, 6.1)',
  async (t) => {
    const ask = (...headers: string[]): string =>
      ['GET /live HTTP/1.0', 'Connection: keep-alive', ...headers, '', ''].join('\r\n');
    t.match(await exchange(t, `${ask('Transfer-Encoding: chunked')}0\r\n\r\n`), /^HTTP\/1\.1 200 /);
    const kept = send(t, ask());
    await once(kept, 'data');
    kept.write(ask());
    t.match(String((await once(kept, 'data'))[0]), /^HTTP\/1\.1 200 /, 'without one, it stays open');
  },
);

t.test('all answers say no-store and nosniff, those to what is not HTTP included', async (t) => {
  const asked = [
    'GET /plants',
    'GET /nowhere',
    'PUT /plants',
    'GET /%',
    'GET /live',
    'PLAY /x',
    'DELETE /plants/x',
  ];
  for (const line of asked) {
    const version = line.startsWith('PLAY') ? 'RTSP/1.0' : 'HTTP/1.1';
    const head = [`${line} ${version}`, 'Host: x', `Authorization: Bearer ${token}`, 'Connection: close'];
    const answer = await exchange(t, [...head, '', ''].join('\r\n'));
    t.match(answer, /\r\ncache-control: no-store\r\n/i, line);
    t.match(answer, /\r\nx-content-type-options: nosniff\r\n/i, line);
  }
  t.match(
    await exchange(t, create(4).replace('Host', 'Connection: close\r\nHost')),
    /cache-control: no-store/i,
  );
});
