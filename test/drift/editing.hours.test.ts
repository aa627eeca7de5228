import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Linter } from '../../scripts/dev/linter.js';
import { Workbench } from '../../scripts/dev/workbench.js';
import { makeFolder } from '../support/programs/process.js';
import { driftsSeen } from './cases.js';
import { drifted } from './run.js';

t.setTimeout(600_000);

t.test('a drift within the YAML, or to what the server can do, is reported at its save', async (t) => {
  const linter = new Linter();
  t.teardown(() => linter.stop());
  for (const drift of driftsSeen('editing')) {
    const folder = await makeFolder(t);
    await drifted(folder, drift);
    const generated = join(folder, 'generated');
    const readBoth = () =>
      Promise.all(['plants.ts', 'plants.json'].map((name) => readFile(join(generated, name), 'utf8')));
    const before = await readBoth();
    const workbench = new Workbench({
      contract: join(folder, 'openapi', 'plants.yaml'),
      generated,
      committed: { read: async () => 'not compared' },
      linter,
      checker: { checkUsers: () => [], checkAll: async () => [] },
    });
    const { details } = await workbench.judgeContract();
    t.match(details.join('\n'), drift.said, drift.what);
    if (!/redocly/.test(drift.said.source)) t.strictSame(await readBoth(), before, 'nothing is generated');
  }
});
