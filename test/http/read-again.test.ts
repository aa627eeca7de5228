import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import t, { type Test } from 'tap';
import { watchConnections } from '../../src/http/connection.js';
import { watchOpenConnections } from '../../src/http/open-connections.js';
import { until } from '../support/process.js';

function makeApp(t: Test) {
  const app = fastify();
  const open = watchOpenConnections(app.server);
  watchConnections(app, open);
  t.teardown(() => app.close());
  return { app, open };
}

t.test('what a client pipelines too far stays with it', async (t) => {
  const { app, open } = makeApp(t);
  let answered = 0;
  app.get('/', async () => {
    answered++;
    // Longer than reading takes.
    await new Promise((resolve) => setImmediate(resolve));
    return '';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').resume();
  t.teardown(() => client.destroy());
  await once(client, 'connect');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300_000));
  await until('many are answered', () => answered >= 2_000);
  const [socket] = open;
  t.ok(Number(socket?.readableLength) < 2 ** 18, `${socket?.readableLength} bytes`);
});

t.test('thousands of requests that are answered at once hold up no other connection', async (t) => {
  const { app } = makeApp(t);
  const [many, request] = [2_000, 'HTTP/1.1\r\nHost: x\r\n\r\n'];
  let answered = 0;
  let answeredBefore = many;
  app.get('/', (_request, reply) => {
    // What the other connection sends now is there when the event loop reads again.
    if (++answered === 1) other.write(`GET /other ${request}`);
    reply.send('');
  });
  app.get('/other', (_request, reply) => {
    answeredBefore = answered;
    reply.send('');
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const [other, client] = [connect(port, '127.0.0.1').resume(), connect(port, '127.0.0.1').resume()];
  t.teardown(() => [other, client].map((socket) => socket.destroy()));
  await Promise.all([once(other, 'connect'), once(client, 'connect')]);
  client.write(`GET / ${request}`.repeat(many));
  await until('all are answered', () => answered === many);
  t.ok(answeredBefore < 100, `${answeredBefore} of ${many} before it`);
});
