import { connect } from 'node:net';
import t from 'tap';
import { contractFile } from '../../../kit/index.js';
import { until } from '../../../kit/testing.js';
import { readContract } from '../../../service-tools/index.js';
import { callersId } from '../../src/log/request-id.js';
import { startService } from '../support/service.js';

const service = await startService(t);

/** Sends bytes, and returns the ids in the head of the answer. */
async function send(request: string): Promise<string[]> {
  const socket = connect(service.port, '127.0.0.1').setEncoding('utf8');
  socket.write(request);
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.includes('\r\n\r\n')) break;
  }
  return Array.from(answer.matchAll(/^x-request-id: (.*)\r$/gim), ([, id]) => String(id));
}

/** Lines of the log. */
const lines = (): { readonly id?: string; readonly req?: { readonly id: string }; readonly msg: string }[] =>
  service
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

t.test('every response in the contract has the id', async (t) => {
  const { operations } = await readContract(contractFile);
  for (const { id, responses } of operations) {
    for (const { key, requiredHeaders } of responses.values())
      t.ok(requiredHeaders.includes('X-Request-Id'), `${id} ${key} documents the header X-Request-Id`);
  }
});

t.test('every answer has an id of its own, which is in the log', async (t) => {
  const host = 'Host: a\r\n\r\n';
  const ids = [
    await send(`GET /plants HTTP/1.1\r\nAuthorization: Bearer ${service.token}\r\n${host}`),
    await send(`GET /plants HTTP/1.1\r\n${host}`),
    await send(`GET /nothing HTTP/1.1\r\n${host}`),
    await send(`PUT /plants HTTP/1.1\r\n${host}`),
    await send(`GET /docs HTTP/1.1\r\n${host}`),
    await send(`GET /live HTTP/1.1\r\n${host}`),
    await send(`GET /plants/%ZZ HTTP/1.1\r\n${host}`),
    await send(`GET / HTTP/1.1\r\n\r\n`),
    await send(`PLAY / RTSP/1.0\r\n${host}`),
    await send('nonsense\r\n\r\n'),
  ];
  for (const [index, answered] of ids.entries()) t.match(answered, [/^[\w-]{8}-\d+$/], `request ${index}`);
  const all = ids.flat();
  t.equal(new Set(all).size, ids.length);
  await until('all are logged', () => {
    const logged = new Set(lines().map(({ id, req }) => id ?? req?.id));
    return all.every((id) => logged.has(id));
  });
});

t.test('the id is the one that the caller gave', async (t) => {
  const given = 'a-1.b:2/c+d=e@f_';
  for (const request of ['GET /plants', 'GET /nothing', 'GET /plants/%ZZ'])
    t.same(await send(`${request} HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${given}\r\n\r\n`), [given]);
  const twice = `GET /live HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n`;
  t.match(await send(twice), [/^[\w-]{8}-\d+$/]);
});

t.test('the id is not the one that the caller gave if the log could not take it', async (t) => {
  for (const id of ['', 'a b', 'ü', 'x'.repeat(101), 'a"b', 'a,b', service.token, `a-${service.token}`])
    t.equal(callersId({ 'x-request-id': id }), undefined, id);
  t.equal(callersId({}), undefined);
  const { headers } = await service.call('GET', '/plants', { headers: { 'X-Request-Id': service.token } });
  t.match(headers.get('x-request-id'), /^[\w-]{8}-\d+$/);
});
