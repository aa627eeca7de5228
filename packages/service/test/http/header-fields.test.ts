import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { startService } from '../support/service.js';

/** RFC 9112, section 3.2. */

const { port, token } = await startService(t);
const targets = ['GET /plants', 'POST /plants', 'DELETE /plants/1', 'GET /nowhere', 'GET /docs', 'PUT /live'];

async function answer(line: string, ...headers: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write([line, 'Connection: close', ...headers, '', ''].join('\r\n'));
  return text(socket);
}

t.test('HTTP/1.1 with no Host or with two is a 400 at every path, before anything else', async (t) => {
  for (const target of targets) {
    for (const hosts of [[], ['Host: a', 'Host: b'], ['Host: a', 'hOST: a'], ['Host: ', 'Host: a']]) {
      const received = await answer(`${target} HTTP/1.1`, ...hosts);
      t.match(received, /^HTTP\/1\.1 400 /, `${target} with ${hosts}`);
      const [, body = ''] = received.split('\r\n\r\n');
      t.match(JSON.parse(body), { error: 400, message: /^The header Host / });
    }
  }
});

t.test('an invalid Host is a 400', async (t) => {
  for (const host of ['a b', 'a/b', '"><script>', 'a@b', '[::1', '[]', 'a:b', 'a:1:2', '%', '%4', 'é'])
    t.match(await answer('GET /live HTTP/1.1', `Host: ${host}`), /^HTTP\/1\.1 400 /, host);
});

t.test('a valid Host is accepted, and HTTP/1.0 needs none', async (t) => {
  const authorization = `Authorization: Bearer ${token}`;
  const hosts = ['', 'a', 'plants.example:8080', 'a_b', '127.0.0.1', '[::1]:3000', 'a:', '%41', '[v1.x]'];
  for (const host of hosts) {
    t.match(await answer('GET /plants HTTP/1.1', `Host: ${host}`, authorization), /^HTTP\/1\.1 200 /, host);
  }
  t.match(await answer('GET /plants HTTP/1.0', authorization), /^HTTP\/1\.1 200 /);
  t.match(await answer('GET /plants HTTP/1.0', authorization, 'Host: a', 'Host: a'), /^HTTP\/1\.1 400 /);
});

/** RFC 9110, section 5.3. */
t.test(
  'two lines of Authorization or Content-Type are a 400 at every path, even if they agree',
  async (t) => {
    const authorization = `Authorization: Bearer ${token}`;
    const json = 'Content-Type: application/json';
    for (const target of targets) {
      for (const [name, headers] of [
        ['Authorization', [authorization, authorization]],
        ['Authorization', [authorization, 'authorization: Basic YTpi']],
        ['Authorization', ['AUTHORIZATION: ', authorization]],
        ['Content-Type', [authorization, json, json]],
        ['Content-Type', [authorization, json, 'content-type: text/plain', 'Content-Length: 0']],
      ] as const) {
        const received = await answer(`${target} HTTP/1.1`, 'Host: a', ...headers);
        t.match(received, /^HTTP\/1\.1 400 /, `${target} with ${headers}`);
        const [, body = ''] = received.split('\r\n\r\n');
        t.match(JSON.parse(body), { error: 400, message: `The header ${name} comes more than once.` });
      }
    }
    t.match(await answer('GET /plants HTTP/1.1', 'Host: a', authorization, json), /^HTTP\/1\.1 200 /);
  },
);

t.test(
  'a last transfer coding other than "chunked" is a 400, and the connection is closed (RFC 9112, section 6.3)',
  async (t) => {
    const authorization = `Authorization: Bearer ${token}`;
    const json = 'Content-Type: application/json';
    for (const target of targets) {
      for (const coding of [
        'gzip',
        'chunked, gzip',
        'chunked\r\nTransfer-Encoding: gzip',
        'identity',
        'xchunked',
        'chunked;q=1',
      ]) {
        for (const headers of [[authorization, json], []]) {
          const socket = connect(port, '127.0.0.1');
          // Without "Connection: close", so that the service has to close it.
          const head = [`${target} HTTP/1.1`, 'Host: a', ...headers, `Transfer-Encoding: ${coding}`, '', ''];
          socket.write(`${head.join('\r\n')}0\r\n\r\nGET /live HTTP/1.1\r\nHost: a\r\n\r\n`);
          const received = await text(socket);
          t.match(received, /^HTTP\/1\.1 400 /, `${target} with ${coding}`);
          t.equal(received.split('HTTP/1.1 ').length, 2, 'what follows is not answered');
        }
      }
    }
  },
);

t.test('a coding before "chunked" that the service does not know is a 415', async (t) => {
  const headers = ['Host: a', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
  const received = await answer('POST /plants HTTP/1.1', ...headers, 'Transfer-Encoding: gzip, chunked');
  t.match(received, /^HTTP\/1\.1 415 /);
});
