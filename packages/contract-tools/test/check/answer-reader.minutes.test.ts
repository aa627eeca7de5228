import { once } from 'node:events';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { Exchange } from '../../src/check/requests/exchange.js';
import { type Reply, Silence } from '../../src/check/requests/reply.js';

/** Sends one request to a server that answers with these bytes, and then closes. */
async function answered(t: Test, bytes: string, method = 'GET'): Promise<Reply> {
  const server = createServer((socket) =>
    socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1'))),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = new URL(`http://127.0.0.1:${address.port}`);
  const { signal } = new AbortController();
  const exchange = new Exchange({ url, connections: 1, signal, onSurplus: () => {} });
  t.teardown(() => {
    exchange.close();
    server.close();
  });
  return exchange.send({ method, target: '/', headers: [] });
}

const faults = async (t: Test, bytes: string, method?: string): Promise<readonly string[]> => {
  const outcome = await answered(t, bytes, method);
  return outcome instanceof Silence ? [outcome.reason] : outcome.faults;
};

t.test('check:contract finds no fault in answers that keep RFC 9112', async (t) => {
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab';
  t.match(await answered(t, whole), { status: 200, body: Buffer.from('ab'), faults: [] });
  const chunked =
    'HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1;x=y\r\nb\r\n0\r\nT: u\r\n\r\n';
  t.match(await answered(t, chunked), { body: Buffer.from('ab'), faults: [] });
  t.match(await answered(t, 'HTTP/1.0 200 OK\r\n\r\nab'), { body: Buffer.from('ab'), faults: [] });
  t.match(await answered(t, `HTTP/1.1 103 Early Hints\r\n\r\n${whole}`), { status: 200, faults: [] });
  t.same(await faults(t, 'HTTP/1.1 405 No\r\nContent-Length: 9\r\nConnection: close\r\n\r\n', 'HEAD'), []);
});

t.test('check:contract finds every break of HTTP framing', async (t) => {
  const cases: [bytes: string, fault: RegExp, method?: string][] = [
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nab', /1 bytes follow/],
    [
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\nab',
      /2 bytes follow the header/,
      'HEAD',
    ],
    ['HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n', /204 has a Content-Length/],
    ['HTTP/1.1 204 No\r\nConnection: close\r\n\r\nab', /2 bytes follow/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab', /Content-Length is 2 and 3/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', /has both/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab', /closed/],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n', /chunk size/],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n', /closed/],
    ['HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n', /header line/],
    ['HTTP/2 200\r\n\r\n', /begins with/],
    ['', /closed/],
  ];
  for (const [bytes, fault, method] of cases) {
    t.match((await faults(t, bytes, method)).join('; '), fault, JSON.stringify(bytes));
  }
});
