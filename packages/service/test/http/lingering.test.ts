import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { fixedPorts, launch } from '../../../kit/index.js';
import { makeFolder, until } from '../../../kit/testing.js';
import { lingeringLimits } from '../../src/http/lingering.js';
import { startService } from '../support/service.js';

const { port, token, call } = await startService(t);
const megabyte = 2 ** 20;
const large = Buffer.alloc(5 * megabyte);
const haproxy = '/usr/sbin/haproxy';

const post = (...headers: string[]): string =>
  ['POST /plants HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
const authorization = `Authorization: Bearer ${token}`;

/** Sends this head and then zeros, and reads only after that. @returns the answer, and how many bytes went out */
async function flood(head: string, most: number, to = port): Promise<{ answer: string; sent: number }> {
  const socket = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  let failure = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {
    failure = 'RESET';
  });
  socket.write(head);
  const closed = once(socket, 'close').catch(() => {});
  const block = Buffer.alloc(megabyte);
  let sent = 0;
  while (sent < most && !socket.destroyed) {
    sent += megabyte;
    if (socket.write(block)) continue;
    const waiting = new AbortController();
    await Promise.race([once(socket, 'drain', waiting).catch(() => {}), closed]);
    waiting.abort();
  }
  socket.end();
  await closed;
  return { answer: answer + failure, sent };
}

/** Uploads as Node's own client does. @returns how many of 60 uploads saw each status */
async function upload(to: number): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (let round = 0; round < 60; round++) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asked = request({ port: to, method: 'POST', path: '/plants', headers, agent: false });
    // HAProxy may reset a connection once it has passed on the answer.
    let outcome = 'closed';
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (outcome === 'closed') outcome = String(error.code);
    });
    asked.on('response', (response) => {
      outcome = String(response.resume().statusCode);
    });
    asked.end(large);
    await once(asked, 'close').catch(() => {});
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

t.test('a client that uploads 5 MB reads its 413', async (t) => {
  const outcomes = await upload(port);
  t.ok(Number(outcomes['413']) >= 58, JSON.stringify(outcomes));
});

t.test(
  'so it does behind HAProxy',
  { skip: !existsSync(haproxy) && 'haproxy is not installed' },
  async (t) => {
    const to = await startHaproxy(t);
    const outcomes = await upload(to);
    t.ok(Number(outcomes['413']) >= 58, JSON.stringify(outcomes));
  },
);

async function startHaproxy(t: Test): Promise<number> {
  const [own = 0] = await fixedPorts(1);
  const file = join(await makeFolder(t), 'haproxy.cfg');
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 60s',
    '  timeout server 60s',
    'listen plants',
    `  bind 127.0.0.1:${own}`,
    `  server one 127.0.0.1:${port}`,
    '',
  ];
  await writeFile(file, lines.join('\n'));
  launch(t, haproxy, ['-q', '-db', '-f', file]);
  await until('it serves', () =>
    fetch(`http://127.0.0.1:${own}/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return own;
}

t.test('whoever sends all of a body before it reads sees the answer that refuses it', async (t) => {
  for (const [status, head] of [
    [413, post(authorization, `Content-Length: ${20 * megabyte}`)],
    [413, post(authorization, `Content-Length: ${20 * megabyte}`, 'Connection: close')],
    [401, post(`Content-Length: ${20 * megabyte}`)],
    [400, post(authorization, 'Transfer-Encoding: chunked')],
    [400, 'GET / HTTP/1.1\r\nX: '],
    [400, 'no HTTP at all\r\n\r\n'],
  ] as const) {
    const { answer, sent } = await flood(head, 20 * megabyte);
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\}$`), head);
    t.equal(sent, 20 * megabyte);
  }
});

t.test('the connection serves the next request once the refused body has come', async (t) => {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk;
  });
  socket.write(post(`Content-Length: ${large.length}`));
  await until('it is refused', () => answers.includes('401'));
  socket.write(large);
  socket.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the next one is answered', () => answers.includes('HTTP/1.1 200 '));
});

t.test(
  'a client that asked for it sees the end of the connection, however early its answer comes',
  async (t) => {
    const asked = post('Content-Length: 5', 'Connection: close');
    for (const head of [asked, asked.replace('HTTP/1.1', 'HTTP/1.0').replace('Connection: close\r\n', '')]) {
      const socket = connect(port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      socket.write(`${head}12345`);
      t.match(await text(socket), /^HTTP\/1\.1 401 /);
    }
  },
);

t.test('a client that sends more than the limit is cut off, with or without a token', async (t) => {
  for (const headers of [[], [authorization]]) {
    const { sent } = await flood(post(...headers, `Content-Length: ${2 ** 40}`), 1_024 * megabyte);
    // Besides what was dropped, the buffers of the kernel have been filled.
    t.ok(sent < lingeringLimits.maxBytes + 64 * megabyte, `${sent / megabyte} MB`);
  }
  t.equal((await call('GET', '/live')).status, 200);
});

t.test('a client that sends no more of a refused body, and does not close, is cut off', async (t) => {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {}).resume();
  socket.write(post(`Content-Length: ${megabyte}`));
  await until('the service has closed it', () => socket.closed);
});
