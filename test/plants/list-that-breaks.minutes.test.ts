import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { plantMany } from '../../packages/service/test/support/many-plants.js';
import { startOwnPostgres } from '../../packages/service/test/support/postgres/own-postgres.js';
import { startService } from '../../packages/service/test/support/service.js';

t.test('if PostgreSQL dies during a list, the transfer breaks off without its end', async (t) => {
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
