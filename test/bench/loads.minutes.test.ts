import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { createServer as createTcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { portOf } from '../../scripts/contract/kit/serve.js';
import { makeFolder } from '../../scripts/kit/folder.js';
import { findTool } from '../../scripts/lab/bench/contestants.js';
import { atSteadyRate, Creates } from '../../scripts/lab/bench/creates.js';
import { type Load, type LoadResult, wrkLoad } from '../../scripts/lab/bench/wrk.js';

const wrk = await findTool('wrk');
const withWrk = wrk === undefined ? { skip: 'wrk is not installed' } : {};

t.test("a benchmark's steady rate does not fall if answers are slow", async (t) => {
  let [underWay, most] = [0, 0];
  const numbers = await atSteadyRate({ perSecond: 100, seconds: 0.5 }, async (number) => {
    most = Math.max(most, ++underWay);
    await pause(400);
    underWay--;
    return number;
  });
  t.strictSame(
    numbers,
    Array.from({ length: 50 }, (_, number) => number),
  );
  t.ok(most >= 30, `${most} were under way at once`);
  await t.rejects(
    atSteadyRate({ perSecond: 100, seconds: 0.1 }, async () => {
      throw new Error('This one failed.');
    }),
    /This one failed/,
  );
});

t.test('a benchmark counts the time in which all of its connections are busy', async (t) => {
  const server = createServer(async (_, response) => {
    await pause(100);
    response.end('{}');
  });
  const creates = await Creates.open(await listen(t, server), 2);
  t.teardown(() => creates.close());
  const answers = await Promise.all([1, 2, 3, 4].map((id) => creates.send('token', id)));
  const [first, , , last] = answers;
  t.ok((first?.ms ?? 0) >= 95 && (last?.ms ?? 0) >= 195, JSON.stringify(answers));
});

t.test('refusals of a load do not count if they may be, and fail it otherwise', withWrk, async (t) => {
  let count = 0;
  const refuseHalf: RequestListener = (_, response) => {
    response.statusCode = count++ % 2 === 0 ? 503 : 200;
    response.end('{}');
  };
  const { requests, perSecond } = await load(t, { mayBeRefused: 1 }, refuseHalf);
  t.ok(perSecond > 0 && Math.abs(requests / 2 / perSecond - 1) < 0.2, `${perSecond} of ${requests}`);
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
