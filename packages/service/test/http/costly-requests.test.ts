import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { portOf } from '../../../contract-tools/base.js';
import { Connections, maxHeaders } from '../../src/http/connections.js';
import { makeLog } from '../../src/log/log.js';
import { newPlantText } from '../support/plants.js';
import { startService } from '../support/service.js';

const { port, token } = await startService(t);

const head = (...headers: string[]) =>
  ['POST /plants HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n');

/** A client that ends its side when the service does. */
async function open(t: Test): Promise<{ socket: Socket; answers: Promise<string> }> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return { socket, answers: text(socket) };
}

const plant = newPlantText({ id: 1, name: 'x' });

t.test('as many headers as allowed are read, and one more is refused', async (t) => {
  for (const [more, status] of [
    [0, 404],
    [1, 400],
    [16_000, 400],
  ] as const) {
    const { socket, answers } = await open(t);
    const others = 'a:\r\n'.repeat(maxHeaders - 2 + more);
    socket.write(`GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${others}\r\n`);
    t.match(await answers, new RegExp(`^HTTP/1\\.1 ${status} `), `${maxHeaders + more} headers`);
  }
});

t.test('so is one too many behind another request', async (t) => {
  const { socket, answers } = await open(t);
  const first = `${head('Content-Type: application/json', `Content-Length: ${plant.length}`)}${plant}`;
  socket.write(`${first}${head(...Array(maxHeaders).fill('a:'))}`);
  t.match(await answers, /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 .*or has too many lines/s);
});

t.test('headers beyond the limit hide no Content-Length: one 400, and no second request', async (t) => {
  const smuggled = 'GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n';
  // Node.js drops headers beyond 200 or so. The last one says that what follows is a body.
  const lines = [...Array(30).fill('Upgrade: x'), ...Array(194).fill('a: b')];
  const request = ['GET /live HTTP/1.1', 'Host: x', 'Connection: Upgrade', ...lines]
    .concat(`Content-Length: ${smuggled.length}`, '', smuggled)
    .join('\r\n');
  for (const before of ['', 'GET /live HTTP/1.1\r\nHost: x\r\n\r\n']) {
    const { socket, answers } = await open(t);
    socket.write(before + request);
    const statuses = [...(await answers).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    t.strictSame(statuses, before === '' ? ['400'] : ['200', '400']);
  }
});

t.test('requests behind a message that ended its connection are not kept without a bound', async (t) => {
  const refusal = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
  const connections = new Connections((_failure, socket) => socket.write(refusal), makeLog('silent'));
  const server = createServer({ requireHostHeader: false });
  connections.serve(server, (_request, response) => response.end());
  let announced = 0;
  server.on('request', () => announced++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close().closeAllConnections());
  // A server that listens on TCP has such an address.
  const port = portOf(server);
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const tooMany = ['GET /live HTTP/1.1', 'Host: x', ...Array(201).fill('a: b'), '', ''].join('\r\n');
  // The rest of a packet of 64 KiB is still read: 3,640 of these requests.
  socket.write(tooMany + 'GET / HTTP/1.1\r\n\r\n'.repeat(20_000));
  // A reset is an end, too.
  await new Promise((resolve) => socket.resume().once('close', resolve));
  t.ok(announced < 10_000, `${announced} requests`);
});
