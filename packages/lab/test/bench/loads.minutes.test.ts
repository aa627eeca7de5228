import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { createServer as createTcpServer } from 'node:net';
import t, { type Test } from 'tap';
import { portOf } from '../../../contract-tools/base.js';
import { makeFolder } from '../../../kit/index.js';
import { until } from '../../../kit/testing.js';
import { findTool } from '../../src/bench/contestants.js';
import { atSteadyRate, Creates } from '../../src/bench/creates.js';
import { type Load, type LoadResult, wrkLoad } from '../../src/bench/wrk.js';

const wrk = await findTool('wrk');
const withWrk = wrk === undefined ? { skip: 'wrk is not installed' } : {};

t.test("a benchmark's steady rate does not fall if answers are slow", async (t) => {
  let underWay = 0;
  const numbers = await atSteadyRate({ perSecond: 100, seconds: 0.5 }, async (number) => {
    underWay++;
    await until('all are under way at once', () => underWay === 50);
    return number;
  });
  t.strictSame(
    numbers,
    Array.from({ length: 50 }, (_, number) => number),
  );
  await t.rejects(
    atSteadyRate({ perSecond: 100, seconds: 0.1 }, async () => {
      throw new Error('This one failed.');
    }),
    /This one failed/,
  );
});

t.test('a benchmark counts the time in which all of its connections are busy', async (t) => {
  const held: ServerResponse[] = [];
  let answersAtOnce = false;
  const server = createServer((_, response) => {
    if (answersAtOnce) response.end('{}');
    else held.push(response);
  });
  const creates = await Creates.open(await listen(t, server), 2);
  t.teardown(() => creates.close());
  const sent = [1, 2, 3, 4].map((id) => creates.send('token', id));
  const sentAt = performance.now();
  await until('both connections are busy', () => held.length === 2);
  const busyMs = performance.now() - sentAt;
  answersAtOnce = true;
  for (const response of held) response.end('{}');
  // The last two waited for a connection all that time.
  for (const { ms } of await Promise.all(sent)) t.ok(ms >= busyMs, `${ms} ms of ${busyMs} ms`);
});

t.test('refusals of a load do not count if they may be, and fail it otherwise', withWrk, async (t) => {
  let count = 0;
  const refuseHalf: RequestListener = (_, response) => {
    response.statusCode = count++ % 2 === 0 ? 503 : 200;
    response.end('{}');
  };
  const { requests, perSecond } = await load(t, { mayBeRefused: 1 }, refuseHalf);
  // The load takes a second or more.
  t.ok(perSecond > 0 && perSecond < 0.75 * requests, `${perSecond} of ${requests}`);
  await t.rejects(load(t, { mayBeRefused: 0.01 }, refuseHalf), /were refused/);
  await t.rejects(load(t, {}, refuseHalf), /were refused/);
});

/** Creates over ten connections at a server that answers so. */
async function load(t: Test, shape: Partial<Load>, answer: RequestListener): Promise<LoadResult> {
  const send = wrkLoad(t, wrk ?? '', await makeFolder(t));
  const usual: Load = { kind: 'create', connections: 10, seconds: 1, firstId: 1, tokens: ['token'] };
  return send(await listen(t, createServer(answer)), { ...usual, ...shape });
}

async function listen(t: Test, server: ReturnType<typeof createTcpServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${portOf(server)}`;
}
