import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { apply, copyProject, member } from '../../packages/kit/index.js';
import { makeFolder } from '../../packages/kit/testing.js';
import { memberAdded, operationAdded, requirePrice } from './documented-changes.js';
import { runIn } from './run.js';

/** After what docs/changing-the-contract.md adds, no work is left to do. */

t.setTimeout(1_200_000);

t.test('after adding an operation and members, each test passes', async (t) => {
  const folder = await makeFolder(t);
  await copyProject(folder);
  const changes = [...operationAdded, ...memberAdded({ ...member, columns: member.column })];
  for (const change of changes) await apply(folder, change);
  await requirePrice(folder);
  const generated = await runIn(folder, ['scripts/codegen.ts']);
  t.equal(generated.code, 0, generated.output);

  const waiting = (await quickFiles(folder)).values();
  const work = async () => {
    for (const file of waiting) {
      const { code, output } = await runIn(folder, [file], { TAP_TIMEOUT: '600' });
      // The failed assertions, without the tests around them.
      const failed = Array.from(
        output.matchAll(/^ {4,}not ok \d+ - (?!.* # time=)(.*)$/gm),
        ([, title = '']) => title,
      );
      t.strictSame(failed, [], file);
      t.equal(code, 0, `${file}: exit code`, {
        output: output.slice(-2_000),
      });
    }
  };
  // Two files at a time.
  await Promise.all([work(), work()]);
});

/** Lists the files that `npm test` runs: all that have no kind in their name, such as `.minutes`. */
async function quickFiles(folder: string): Promise<string[]> {
  const roots = ['test', 'packages'];
  const names = roots.map(async (root) =>
    (await readdir(join(folder, root), { recursive: true })).map((name) => join(root, name)),
  );
  return (await Promise.all(names)).flat().filter((name) => /\/[^./]+\.test\.ts$/.test(name));
}
