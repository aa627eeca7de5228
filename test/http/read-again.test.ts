import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import t from 'tap';
import { watchConnections } from '../../src/http/connection.js';
import { watchOpenConnections } from '../../src/http/open-connections.js';
import { until } from '../support/process.js';

t.test('what a client pipelines too far stays with it', async (t) => {
  const app = fastify();
  const open = watchOpenConnections(app.server);
  watchConnections(app, open);
  let answered = 0;
  app.get('/', async () => {
    answered++;
    // Longer than reading takes.
    await new Promise((resolve) => setImmediate(resolve));
    return '';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').resume();
  t.teardown(() => client.destroy());
  await once(client, 'connect');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300_000));
  await until('many are answered', () => answered >= 2_000);
  const [socket] = open;
  t.ok(Number(socket?.readableLength) < 2 ** 18, `${socket?.readableLength} bytes`);
});
