import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { mostHeaders } from '../../src/http/connection.js';
import { smallChunks } from '../../src/http/small-chunks.js';
import { type Service, startService } from '../support/service.js';

const head = ({ token }: Service, ...headers: string[]) =>
  ['POST /plants HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n');

/** A client that ends its side when the service does. */
async function open(t: Test, { port }: Service): Promise<{ socket: Socket; answers: Promise<string> }> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return { socket, answers: text(socket) };
}

const inChunks = (body: string, length: number) =>
  body.replace(new RegExp(`.{1,${length}}`, 'gs'), (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);

const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
const plant = '{"id":1,"name":"x"}';

t.test('a body of as many small chunks as allowed is read', async (t) => {
  const service = await startService(t);
  const { socket, answers } = await open(t, service);
  const body = plant.padEnd(smallChunks.most);
  socket.end(`${head(service, ...chunked)}${inChunks(body, 1)}0\r\n\r\n`);
  t.match(await answers, /^HTTP\/1\.1 200 /);
});

t.test('so is one of as many larger chunks as fit', async (t) => {
  const service = await startService(t);
  const { socket, answers } = await open(t, service);
  socket.end(`${head(service, ...chunked)}${inChunks(plant.padEnd(65_000), smallChunks.bytes)}0\r\n\r\n`);
  t.match(await answers, /^HTTP\/1\.1 200 /);
});

t.test('a body of more small chunks is refused, and nothing of it is carried out', async (t) => {
  const service = await startService(t);
  const { socket, answers } = await open(t, service);
  const body = plant.padEnd(smallChunks.most + 1);
  socket.write(`${head(service, ...chunked)}${inChunks(body, 1)}0\r\n\r\n`);
  t.match(
    await answers,
    /^HTTP\/1\.1 400 .*\r\n\r\n\{"error":400,"message":"The body has too many small chunks/s,
  );
  t.equal((await service.call('DELETE', '/plants/1')).status, 404);
});

t.test('so is the body of a request that was read again, behind another', async (t) => {
  const service = await startService(t);
  const { socket, answers } = await open(t, service);
  const first = `${head(service, 'Content-Type: application/json', `Content-Length: ${plant.length}`)}${plant}`;
  socket.write(`${first}${head(service, ...chunked)}${inChunks(plant.padEnd(5_000), 1)}0\r\n\r\n`);
  t.match(await answers, /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s);
});

t.test('a refused request whose body goes on in small chunks ends its connection', async (t) => {
  const service = await startService(t);
  const { socket, answers } = await open(t, service);
  socket.write('POST /plants HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  await once(socket, 'data');
  socket.write('1\r\na\r\n'.repeat(smallChunks.most + 1));
  await answers;
  t.pass('the service has ended it');
});

t.test('as many headers as allowed are read, and one more is refused', async (t) => {
  const service = await startService(t);
  for (const [more, status] of [
    [0, 404],
    [1, 400],
    [16_000, 400],
  ] as const) {
    const { socket, answers } = await open(t, service);
    socket.end(`GET /x HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(mostHeaders - 1 + more)}\r\n`);
    t.match(await answers, new RegExp(`^HTTP/1\\.1 ${status} `), `${mostHeaders + more} headers`);
  }
});

t.test('so is one too many behind another request', async (t) => {
  const service = await startService(t);
  const { socket, answers } = await open(t, service);
  const first = `${head(service, 'Content-Type: application/json', `Content-Length: ${plant.length}`)}${plant}`;
  socket.end(`${first}${head(service, ...Array(mostHeaders).fill('a:'))}`);
  t.match(await answers, /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 .*or has too many lines/s);
});

t.test('an Accept-Encoding that is too long is not read', async (t) => {
  const service = await startService(t);
  const encodingOf = async (length: number) => {
    const { socket, answers } = await open(t, service);
    const accept = 'gzip'.padEnd(length, ',');
    socket.write(
      `HEAD /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${accept}\r\n\r\n`,
    );
    return /^content-encoding: (.*)\r$/im.exec(await answers)?.[1];
  };
  t.equal(await encodingOf(256), 'gzip');
  t.equal(await encodingOf(257), undefined);
});
