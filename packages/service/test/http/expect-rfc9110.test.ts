import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { newPlantText, plantText } from '../support/plants.js';
import { startService } from '../support/service.js';

/** RFC 9110, section 10.1.1. */

const { port, token } = await startService(t);
const body = newPlantText('{"id":1,"name":"Ficus"}');

interface Head {
  readonly version?: string;
  readonly authorization?: string;
  readonly expect?: string;
  readonly length?: number;
}

function send(t: Test, line: string, { version = '1.1', authorization = token, ...head }: Head = {}): Socket {
  const { expect = '100-continue', length = body.length } = head;
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(
    [`${line} HTTP/${version}`, 'Host: x', `Authorization: Bearer ${authorization}`, `Expect: ${expect}`]
      .concat('Content-Type: application/json', `Content-Length: ${length}`, '', '')
      .join('\r\n'),
  );
  return socket;
}

t.test('"Expect: 100-continue" gets 100 Continue if the head of the request is fine', async (t) => {
  const socket = send(t, 'POST /plants');
  const [interim] = await once(socket, 'data');
  t.equal(String(interim), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body);
  const [answer] = await once(socket, 'data');
  t.match(String(answer), /^HTTP\/1\.1 200 OK\r\n/);
  t.ok(String(answer).endsWith(plantText({ name: 'Ficus' })));
});

t.test('"Expect: 100-continue" gets the refusal after 100 Continue if the request is refused', async (t) => {
  for (const [line, status, head] of [
    ['POST /plants', 401, { authorization: 'x' }],
    ['POST /plants', 413, { length: 65_537 }],
    ['PUT /plants', 405, {}],
  ] as const) {
    const socket = send(t, line, { ...head });
    const answers = text(socket);
    socket.end('x'.repeat('length' in head ? head.length : body.length));
    t.match(
      await answers,
      new RegExp(`^HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ${status} `),
      `${line} ${status}`,
    );
  }
});

t.test('"Expect: 100-continue" is ignored in HTTP/1.0', async (t) => {
  const socket = send(t, 'POST /plants', { version: '1.0' });
  socket.write(body);
  t.match(await text(socket), /^HTTP\/1\.1 200 /);
});

t.test('an unknown expectation is ignored', async (t) => {
  for (const expect of ['foo', '', '200-ok;q=1']) {
    const socket = send(t, 'POST /plants', { expect });
    socket.write(body);
    const [answer] = await once(socket, 'data');
    t.match(String(answer), /^HTTP\/1\.1 200 /, expect);
  }
  const [refusal] = await once(send(t, 'POST /plants', { expect: 'foo', length: 0 }), 'data');
  t.match(String(refusal), /^HTTP\/1\.1 400 /);
});
