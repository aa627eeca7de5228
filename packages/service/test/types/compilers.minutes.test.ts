/** TypeScript 7 compiles the service and checks all types; `npm run dev` and the generators use 5.9. They agree. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t from 'tap';
import { compilerFile, projectFolder } from '../../../kit/index.js';
import { makeFolder, runNode } from '../../../kit/testing.js';

const compilers = {
  '5.9': join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc'),
  '7': compilerFile,
};

for (const [version, compiler] of Object.entries(compilers)) {
  t.test(`TypeScript ${version} accepts all of the project`, async (t) => {
    const { out, code } = await runNode([compiler, '--project', '.'], { cwd: projectFolder });
    t.equal(out, '');
    t.equal(code, 0);
  });
}

/** Compiles the service into a folder. @returns the text of each program, by its file */
async function programs(folder: string, compiler: string): Promise<Record<string, string>> {
  const output = ['--outDir', folder, '--tsBuildInfoFile', join(folder, '.tsbuildinfo')];
  const { code } = await runNode([compiler, '--project', 'tsconfig.build.json', ...output], {
    cwd: projectFolder,
  });
  t.equal(code, 0);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = files.map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

t.test('both write the same programs', async (t) => {
  const [older, newer] = [await makeFolder(t), await makeFolder(t)];
  const written = await programs(older, compilers['5.9']);
  t.ok(Object.keys(written).length > 100);
  t.strictSame(await programs(newer, compilers['7']), written);
});

t.test('both refuse the same fault', async (t) => {
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  const fault =
    "import type { Owner } from '../../packages/service/src/identity/owner.js';\nexport const owner: Owner = 7;\n";
  await writeFile(join(folder, 'fault.ts'), fault);
  const configuration = { extends: '../../tsconfig.json', include: ['fault.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  for (const compiler of Object.values(compilers)) {
    const { out, code } = await runNode([compiler, '--project', folder], { cwd: projectFolder });
    t.not(code, 0);
    t.match(out, 'error TS2322');
  }
});
