import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { fastify } from 'fastify';
import t, { type Test } from 'tap';
import { readContract } from '../../src/contract/document/document.js';
import { watchConnections } from '../../src/http/connection.js';
import { endConnections } from '../../src/http/drain.js';
import { watchOpenConnections } from '../../src/http/open-connections.js';
import { perTick, readInTurns } from '../../src/http/reading-turns.js';
import { makeServer } from '../../src/http/server.js';
import { makeLog } from '../../src/log.js';
import { contractFile } from '../../src/project.js';
import { until } from '../support/process.js';

/** Many clients have asked once, the last of another owner, and wait for their answers. */
async function startAsking(t: Test) {
  const app = fastify({ keepAliveTimeout: 0, return503OnClosing: false });
  const open = watchOpenConnections(app.server);
  const ending = new AbortController();
  readInTurns(app, open);
  endConnections(app, open, ending.signal);
  watchConnections(app, open);
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  app.decorateRequest('caller', undefined);
  app.get('/:caller/:turn', (request, reply) => {
    const { caller, turn } = request.params as Record<'caller' | 'turn', string>;
    request.caller = caller;
    asked.push(`${caller} ${turn}`);
    if (turn === '1') answers.push(() => reply.send(''));
    else reply.send('');
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());

  const { port } = app.server.address() as AddressInfo;
  const connectOne = () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    t.teardown(() => socket.destroy());
    return socket;
  };
  let answered = 0;
  const callers = [...Array<string>(400).fill('greedy'), 'quiet'];
  const sockets = callers.map((caller) => {
    const socket = connectOne();
    socket.on('data', (text: string) => (answered += text.split('HTTP/1.1 200').length - 1));
    return { caller, socket };
  });
  await Promise.all(sockets.map(({ socket }) => once(socket, 'connect')));
  const ask = (turn: number) => {
    for (const { caller, socket } of sockets)
      socket.write(`GET /${caller}/${turn} HTTP/1.1\r\nHost: x\r\n\r\n`);
  };
  ask(1);
  await until('all have asked', () => answers.length === callers.length);
  return { app, ending, connectOne, sockets, asked, answered: () => answered, answers, ask };
}

t.test('beside many connections of an owner, one of another is read among the first', async (t) => {
  const { asked, answers, ask } = await startAsking(t);
  // All are answered, and ask again, before the event loop reads on.
  for (const answer of answers) answer();
  ask(2);
  await until('all have asked again', () => asked.length === 2 * answers.length);
  const again = asked.slice(answers.length);
  t.ok(again.indexOf('quiet 2') < perTick, `${again.indexOf('quiet 2')} before it`);
  t.equal(again.filter((one) => one === 'greedy 2').length, 400, 'the others follow');
});

t.test('new connections are accepted before many others are read', async (t) => {
  const { app, asked, answers, ask, connectOne } = await startAsking(t);
  const waiting = 50;
  let accepted = 0;
  let askedBefore = 0;
  app.server.on('connection', () => {
    if (++accepted === waiting) askedBefore = asked.length - answers.length;
  });
  for (const answer of answers) answer();
  ask(2);
  for (let count = 0; count < waiting; count++) connectOne();
  await until('all have asked again', () => asked.length === 2 * answers.length);
  t.equal(accepted, waiting);
  t.ok(askedBefore < 4 * waiting, `${askedBefore} of ${answers.length} were read before`);
});

t.test('what is pipelined on many connections does not hold up a new one', async (t) => {
  const { asked, answers, connectOne, sockets } = await startAsking(t);
  const [before, pipelined] = [asked.length, 20];
  for (const answer of answers) answer();
  for (const { socket } of sockets)
    socket.write('GET /greedy/2 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(pipelined));
  await until('some have asked', () => asked.length > before);
  connectOne().write('GET /late/2 HTTP/1.1\r\nHost: x\r\n\r\n');
  const all = pipelined * sockets.length + 1;
  await until('all have asked', () => asked.length === before + all);
  const place = asked.indexOf('late 2') - before;
  t.ok(place < sockets.length, `${place} of ${all} before it`);
});

t.test('a connection that ends with its answer has no turn', async (t) => {
  const { app, answers, connectOne } = await startAsking(t);
  for (const answer of answers) answer();
  const socket = connectOne();
  socket.end('GET /late/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const [accepted] = await once(app.server, 'connection');
  const stops = t.capture(Reflect.get(accepted, '_handle'), 'readStop');
  await once(socket.resume(), 'end');
  t.strictSame(stops(), []);
});

t.test('a server that ends loses no request of those that wait for their turn', async (t) => {
  const { app, ending, sockets, answered, answers, ask } = await startAsking(t);
  const ended = Promise.all(sockets.map(({ socket }) => once(socket, 'end')));
  for (const answer of answers) answer();
  ask(2);
  await new Promise((resolve) => setImmediate(resolve));
  ending.abort();
  await Promise.all([app.close(), ended]);
  t.equal(answered(), 2 * answers.length);
});

t.test('few connections are read at once', async (t) => {
  const app = fastify();
  readInTurns(app, watchOpenConnections(app.server));
  app.get('/', () => '');
  const stops: (() => unknown[])[] = [];
  app.server.on('connection', (socket) => {
    stops.push(t.capture(Reflect.get(socket, '_handle'), 'readStop'));
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());
  for (let count = 0; count < 3; count++) t.equal((await fetch(address)).status, 200);
  t.ok(stops.length > 0);
  t.ok(
    stops.every((calls) => calls().length === 0),
    'as Node.js does',
  );
});

/** A server with as many connections as take turns, and how often Node.js was told not to read one. */
async function startCrowded(t: Test) {
  const app = makeServer({
    contract: await readContract(contractFile),
    log: makeLog('silent', new PassThrough()),
  });
  const stops: (() => unknown[])[] = [];
  app.server.on('connection', (socket) => {
    stops.push(t.capture(Reflect.get(socket, '_handle'), 'readStop'));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const sockets = Array.from({ length: perTick + 1 }, () => connect(port, '127.0.0.1'));
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  await until('all are accepted', () => stops.length === sockets.length);
  const [socket] = sockets as [Socket];
  return { socket, stops: () => stops.flatMap((calls) => calls()).length };
}

t.test('a request whose URL cannot be read takes its turn, too', async (t) => {
  const { socket, stops } = await startCrowded(t);
  socket.write('GET /% HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('its connection is not read', () => stops() > 0);
});

t.test('requests that are answered together take one turn', async (t) => {
  const { socket, stops } = await startCrowded(t);
  let answers = '';
  socket.setEncoding('latin1').on('data', (text) => (answers += text));
  socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
  await until('both are answered', () => answers.split('HTTP/1.1 404').length === 3);
  t.equal(stops(), 1);
});

t.test('a body that nobody reads yet stays with its client', async (t) => {
  const app = fastify();
  const open = watchOpenConnections(app.server);
  readInTurns(app, open);
  let body: IncomingMessage | undefined;
  let goOn = () => {};
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'GET') return done();
    body = request.raw;
    goOn = done;
  });
  app.get('/', () => '');
  app.post('/', () => '');
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const sockets = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').resume());
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until('all are accepted', () => open.size === sockets.length);
  const [socket] = sockets;
  const size = 2 ** 25;
  // Read at once: the body begins before the first request is answered.
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${size}\r\n\r\n`;
  socket?.write(Buffer.concat([Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${head}`), Buffer.alloc(size)]));
  await until('its head is there', () => body !== undefined);
  // Each turn could read 64 KiB.
  for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.ok((body?.readableLength ?? size) < 2 ** 20, `${body?.readableLength} bytes`);
  goOn();
});
