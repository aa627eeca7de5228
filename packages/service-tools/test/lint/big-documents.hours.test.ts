import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { lintContract } from '../../../contract-tools/lint.js';
import { bigDocument } from '../../../contract-tools/test/support/big-document.js';
import { projectFolder } from '../../../kit/index.js';

// Slow machines get more time.
t.setTimeout(600_000);

t.test('the cost of linting grows with the size of the document, and not with its square', async (t) => {
  const rules = join(projectFolder, 'redocly.yaml');
  /** The CPU time in seconds of linting a document with so many paths. */
  const costOf = async (paths: number): Promise<number> => {
    const file = join(t.testdir(), 'openapi.yaml');
    await writeFile(file, bigDocument(paths));
    const before = process.cpuUsage();
    const { document, problems } = await lintContract(file, rules);
    const { user, system } = process.cpuUsage(before);
    t.not(document, undefined, 'it is valid');
    t.ok(problems.length >= paths, `${problems.length} problems of ${paths} paths`);
    return (user + system) / 1e6;
  };
  await costOf(40);
  const [one, two, four] = [await costOf(80), await costOf(160), await costOf(320)];
  t.ok(two < 3 * one, `twice the paths cost ${(two / one).toFixed(1)} times as much`);
  t.ok(four < 7 * one, `four times the paths cost ${(four / one).toFixed(1)} times as much`);
});
