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
