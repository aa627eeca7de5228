/** What docs/limits.md leaves to the proxy: floods from one address, endless handshakes, tiny chunks. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import * as tls from 'node:tls';
import t, { type Test } from 'tap';
import { portOf } from '../../packages/contract-tools/base.js';
import { until } from '../../packages/kit/testing.js';
import { hostName, missingFor, proxies, startProxy } from './proxy.js';

/** Stands for both replicas, and sees what the proxy lets through. */
async function startReplica(t: Test) {
  const seen = { posts: 0, chunks: 0, bytes: 0 };
  const server = createServer((request, response) => {
    if (request.method === 'POST') seen.posts++;
    request
      .on('data', (chunk) => {
        seen.chunks++;
        seen.bytes += chunk.length;
      })
      .on('end', () => response.end('here'));
  });
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on TCP has this kind of address.
  const port = portOf(server);
  return { port, seen };
}

const connectSecurely = (port: number, localAddress = '127.0.0.1'): tls.TLSSocket => {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  return tls.connect({ socket, rejectUnauthorized: false }).on('error', () => {});
};

/** Asks from another address than that of the hostile clients. */
async function isServedElsewhere(port: number): Promise<boolean> {
  const socket = connectSecurely(port, '127.0.0.2');
  socket.write(`GET /live HTTP/1.1\r\nHost: ${hostName}\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).startsWith('HTTP/1.1 200 ');
}

/**
 * Sends `start`, and then `more` again and again.
 *
 * @returns what came back until the proxy closed the connection
 */
async function sendWithoutEnd(
  socket: Socket,
  start: string | Buffer,
  more: string | Buffer,
): Promise<string> {
  let received = '';
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  socket
    .on('error', end)
    .on('data', (chunk) => {
      received += chunk;
    })
    .once('end', end)
    .once('close', end);
  socket.write(start);
  // A proxy without its limits would wait for a minute, or without end.
  await until(
    'the proxy closes the connection',
    () => {
      if (!isOver) socket.write(more);
      return isOver;
    },
    30_000,
  );
  socket.destroy();
  return received;
}

const post = `POST /plants HTTP/1.1\r\nHost: ${hostName}\r\nContent-Type: application/json\r\n`;
const oneByte = '1\r\n \r\n';

for (const proxy of proxies) {
  t.test(
    `hostile clients of ${proxy.name}, as docs/operations/proxies.md has it`,
    { skip: missingFor(proxy) },
    async (t) => {
      const { port: replica, seen } = await startReplica(t);
      const { port } = await startProxy(t, proxy, [replica, replica], [replica, replica], true);
      await until('it serves', () => isServedElsewhere(port));

      await t.test('one address takes no more than its share, and others are served meanwhile', async (t) => {
        const { port } = await startProxy(t, proxy, [replica, replica], [replica, replica]);
        await until('it serves', () => isServedElsewhere(port));
        const sockets = Array.from({ length: 150 }, () => connectSecurely(port));
        t.teardown(() => sockets.map((socket) => socket.destroy()));
        let refused = 0;
        for (const socket of sockets) {
          let isSecure = false;
          socket.once('secureConnect', () => {
            isSecure = true;
          });
          // HAProxy refuses the connection, and nginx the request.
          socket.once('data', (answer) => {
            if (String(answer).startsWith('HTTP/1.1 429')) refused++;
          });
          socket.once('close', () => {
            if (!isSecure) refused++;
          });
          // Its body does not come, so the request takes its share until it is cut.
          socket.write(`${post}Content-Length: 9\r\n\r\n`);
        }
        await until('the others are refused', () => refused >= 50, 30_000);
        await until('another address is served', () => isServedElsewhere(port));
      });

      await t.test('an endless handshake, and an endless header, are cut', async (t) => {
        // The first bytes of a record of 16 KiB with a ClientHello (RFC 8446, sections 4 and 5.1).
        const hello = Buffer.from([22, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xfc, 3, 3]);
        const cut = Promise.all([
          sendWithoutEnd(connect({ port, host: '127.0.0.1' }), hello, Buffer.alloc(1)),
          sendWithoutEnd(
            connectSecurely(port),
            `GET /plants HTTP/1.1\r\nHost: ${hostName}\r\nX-Endless: `,
            'a',
          ),
        ]);
        await until('another address is served', () => isServedElsewhere(port));
        for (const answer of await cut) t.notMatch(answer, '200');
      });

      await t.test('a body that stops, and one that never ends, are cut, and meet no replica', async (t) => {
        const before = seen.posts;
        // HAProxy limits the time of a body that it holds, and nginx its length.
        const more = proxy.name === 'nginx' ? oneByte.repeat(1_000) : oneByte;
        const [stopped, endless] = await Promise.all([
          sendWithoutEnd(connectSecurely(port), `${post}Content-Length: 9\r\n\r\n`, ''),
          sendWithoutEnd(connectSecurely(port), `${post}Transfer-Encoding: chunked\r\n\r\n`, more),
        ]);
        t.notMatch(stopped, '200');
        t.match(endless, /^HTTP\/1\.1 (408|413) [\s\S]*\r\n\r\n\{"error":\1,/);
        t.equal(seen.posts, before);
      });

      await t.test('a body in chunks of one byte reaches the replica as a whole', async (t) => {
        const { chunks, bytes } = seen;
        const socket = connectSecurely(port);
        socket.write(`${post}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`);
        for (let sent = 0; sent < 1_000; sent++) {
          socket.write(oneByte);
          await new Promise(setImmediate);
        }
        socket.write('0\r\n\r\n');
        t.match(await text(socket), /^HTTP\/1\.1 200 /);
        t.equal(seen.bytes - bytes, 1_000);
        t.ok(seen.chunks - chunks <= 2, `in ${seen.chunks - chunks} parts`);
      });
    },
  );
}
