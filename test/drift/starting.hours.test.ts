import t from 'tap';
import { makeFolder } from '../../packages/kit/testing.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';
import { driftsSeen } from './cases.js';
import { drifted, runIn } from './run.js';

t.setTimeout(600_000);

t.test('a drift that types cannot see ends the start with a sentence', async (t) => {
  const start = async (drift: ReturnType<typeof driftsSeen>[number]) => {
    const folder = await makeFolder(t);
    await drifted(folder, drift);
    if (!drift.stale)
      t.equal((await runIn(folder, ['scripts/codegen.ts'])).code, 0, `${drift.what}: codegen`);
    const { code, output } = await runIn(folder, ['src/main.ts'], {
      DATABASE_URL: await makeDatabase(t),
      PORT: '0',
      LOG_LEVEL: 'silent',
    });
    t.equal(code, 1, drift.what);
    t.match(output, drift.said, drift.what);
  };
  // Two starts at a time.
  const waiting = driftsSeen('starting').values();
  const work = async () => {
    for (const drift of waiting) await start(drift);
  };
  await Promise.all([work(), work()]);
});
