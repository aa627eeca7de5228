import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { makeFolder } from '../../scripts/kit/folder.js';
import type { Load, LoadResult } from '../../scripts/kit/load.js';
import { wrkLoad } from '../../scripts/kit/wrk.js';
import { findTools } from '../../scripts/lab/bench/machine.js';
import { LoadConnection } from '../../scripts/lab/bench/shares/connection.js';
import { ConnectionPool } from '../../scripts/lab/bench/shares/connection-pool.js';
import { latenciesOf } from '../../scripts/lab/bench/shares/latencies.js';
import { atSteadyRate } from '../../scripts/lab/bench/shares/steady-rate.js';

const { wrk } = await findTools();
const withWrk = wrk === undefined ? { skip: 'wrk is not installed' } : {};
const request = { method: 'GET', target: '/', headers: [] };

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

t.test("a benchmark's connection reads an answer that comes in parts, and tells of its end", async (t) => {
  const parts = ['HTTP/1.1 503 Service Unavailable\r\nContent-', 'Length: 2\r\n\r\n{', '}'];
  const server = createTcpServer((socket) => {
    socket.on('data', async () => {
      if (parts.length === 0) socket.destroy();
      for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
        socket.write(part);
        await pause(20);
      }
    });
  });
  const connection = await LoadConnection.open(await listen(t, server));
  const { status, ms } = await connection.ask(request);
  t.equal(status, 503);
  t.ok(ms >= 40, 'the time of the last part counts');
  await t.rejects(connection.ask(request), /closed|broke off/);
  await t.rejects(connection.ask(request), /closed|broke off/, 'for ever');
});

t.test('a benchmark counts the time in which all of its connections are busy', async (t) => {
  const server = createServer(async (_, response) => {
    await pause(100);
    response.end('{}');
  });
  const pool = await ConnectionPool.open(await listen(t, server), 2);
  t.teardown(() => pool.close());
  const answers = await Promise.all([1, 2, 3, 4].map(() => pool.ask(request)));
  const [first, , , last] = answers;
  t.ok((first?.ms ?? 0) >= 95 && (last?.ms ?? 0) >= 195, JSON.stringify(answers));
  t.ok(latenciesOf(answers).p99 >= 195);
});

t.test('refusals of a load are counted apart if they may be, and fail it otherwise', withWrk, async (t) => {
  let count = 0;
  const refuseHalf: RequestListener = (_, response) => {
    response.statusCode = count++ % 2 === 0 ? 503 : 200;
    response.end('{}');
  };
  const { perSecond, refusedPerSecond = 0 } = await load(t, { seconds: 1, mayBeRefused: 1 }, refuseHalf);
  t.ok(
    perSecond > 0 && Math.abs(perSecond / refusedPerSecond - 1) < 0.1,
    `${perSecond}, ${refusedPerSecond}`,
  );
  await t.rejects(load(t, { seconds: 1, mayBeRefused: 0.01 }, refuseHalf), /were refused/);
  await t.rejects(load(t, { seconds: 1 }, refuseHalf), /were refused/);
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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
