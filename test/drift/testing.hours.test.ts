import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { contractFile, copyProject } from '../../packages/kit/index.js';
import { makeFolder } from '../../packages/kit/testing.js';
import { makeTables } from '../../packages/service/test/support/postgres/database.js';
import { driftsSeen } from './cases.js';
import { drifted, runIn } from './run.js';

t.setTimeout(600_000);

t.test('without a drift, the same tests pass in a copy of the project', async (t) => {
  const folder = await makeFolder(t);
  await copyProject(folder);
  for (const { by = [], only } of driftsSeen('testing')) {
    const { code, output } = await runIn(folder, by, { ...(only && { TAP_GREP: only }) });
    t.equal(code, 0, by.join(' '), { output });
  }
});

for (const [moment, title] of [
  ['testing', 'a drift that the start cannot see fails a test'],
  ['CI', 'a drift that no test sees fails a command of CI'],
] as const) {
  t.test(title, async (t) => {
    for (const drift of driftsSeen(moment)) {
      const folder = await makeFolder(t);
      await drifted(folder, drift);
      // Without it, the tests would end where the start does: generated/ is of another YAML.
      if (moment === 'testing') t.equal((await runIn(folder, ['scripts/codegen.ts'])).code, 0, 'codegen');
      await copyFile(contractFile, join(folder, 'last-release.yaml'));
      const environment = {
        ...(drift.stored && { DATABASE_URL: await makeTables(t, drift.stored) }),
        ...(drift.only && { TAP_GREP: drift.only }),
      };
      const { code, output } = await runIn(folder, drift.by ?? [], environment);
      t.not(code, 0, drift.what);
      t.match(output, drift.said, drift.what);
    }
  });
}
