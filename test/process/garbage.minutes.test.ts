import t from 'tap';
import { ConnectionPool } from '../../scripts/bench/shares/connection-pool.js';
import { makeDatabase } from '../support/database.js';
import { spawnServer } from '../support/server.js';

const connections = 1_000;
/** The first half compiles the code. */
const requests = { all: 80_000, atOnce: 40 };

/** Of young objects, or of all: megabytes before and after. The words in brackets differ between versions of V8. */
const collection = /(Scavenge|Mark-Compact)(?: \([a-z ]+\))* ([0-9.]+) \([0-9.]+\) -> ([0-9.]+) \(/g;

t.test('requests are collected young, even after many connections opened at once', async (t) => {
  const environment = { DATABASE_URL: await makeDatabase(t), LOG_LEVEL: 'silent' };
  const server = await spawnServer(t, environment, { options: ['--trace-gc'] });
  const pool = await ConnectionPool.open(server.address, connections);
  const { host } = new URL(server.address);
  let failed = 0;
  for (let asked = 0; asked < requests.all; asked += requests.atOnce) {
    const some = Array.from({ length: requests.atOnce }, () =>
      pool.ask(`GET /live HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
    );
    failed += (await Promise.all(some)).filter(({ status }) => status !== 200).length;
  }
  pool.close();
  t.equal(failed, 0);
  // V8 writes the trace in blocks.
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  const traced = [...server.stdout().matchAll(collection)];
  let [made, kept, last] = [0, 0, Number.NaN];
  for (const [, kind, before, after] of traced.slice(traced.length / 2)) {
    if (kind === 'Scavenge' && !Number.isNaN(last)) {
      made += Number(before) - last;
      kept += Number(after) - last;
    }
    last = Number(after);
  }
  t.ok(made > 50, `${made} MB were made`);
  t.ok(kept / made < 0.1, `${kept} MB of ${made} MB were kept`);
});
