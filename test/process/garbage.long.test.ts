import t from 'tap';
import { ConnectionPool } from '../../scripts/bench/shares/connection-pool.js';
import { makeDatabase } from '../support/database.js';
import { spawnServer } from '../support/server.js';

const connections = 1_000;
const requests = { warmUp: 40_000, measured: 40_000, atOnce: 40 };

/** Of young objects: megabytes before and after. */
const scavenge = /Scavenge ([0-9.]+) \([0-9.]+\) -> ([0-9.]+) \(/g;

t.test('requests are collected young, even after many connections opened at once', async (t) => {
  const environment = { DATABASE_URL: await makeDatabase(t), LOG_LEVEL: 'silent' };
  const server = await spawnServer(t, environment, { options: ['--trace-gc'] });
  const pool = await ConnectionPool.open(server.address, connections);
  const { host } = new URL(server.address);
  const ask = async (count: number) => {
    for (let asked = 0; asked < count; asked += requests.atOnce) {
      const some = Array.from({ length: requests.atOnce }, () =>
        pool.ask(`GET /live HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      );
      await Promise.all(some);
    }
  };
  await ask(requests.warmUp);
  const before = [...server.stdout().matchAll(scavenge)].length;
  await ask(requests.measured);
  pool.close();
  const traced = Array.from(server.stdout().matchAll(scavenge), ([, from, to]) => [Number(from), Number(to)]);
  let [made, kept] = [0, 0];
  for (const [index, [from = 0, to = 0]] of traced.entries()) {
    const last = traced[index - 1]?.[1];
    // A collection of everything was between them.
    if (index < before || last === undefined || to < last) continue;
    made += from - last;
    kept += to - last;
  }
  t.ok(made > 50, `${made} MB were made`);
  t.ok(kept / made < 0.1, `${kept} MB of ${made} MB were kept`);
});
