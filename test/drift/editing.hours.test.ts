import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { contractFile, edited } from '../../packages/kit/index.js';
import { Linter } from '../../packages/service-tools/dev.js';
import { startSaving } from '../../packages/service-tools/test/dev/saves.js';
import { driftsSeen } from './cases.js';

t.setTimeout(600_000);

t.test('a drift within the YAML, or to what the server can do, is reported at its save', async (t) => {
  const linter = new Linter();
  t.teardown(() => linter.stop());
  const { folder, save } = await startSaving(t, () => ({ linter }));
  const yaml = await readFile(contractFile, 'utf8');
  const readBoth = () =>
    Promise.all(['plants.ts', 'plants.json'].map((name) => readFile(join(folder, name), 'utf8')));
  for (const { what, edits, said } of driftsSeen('editing')) {
    await save(yaml);
    const before = await readBoth();
    // All edits of such a drift are in the YAML.
    const { details } = await save(edits.reduce(edited, yaml));
    t.match(details.join('\n'), said, what);
    if (!/redocly/.test(said.source)) t.strictSame(await readBoth(), before, 'nothing is generated');
  }
});
