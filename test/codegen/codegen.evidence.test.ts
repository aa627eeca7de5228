import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { typesOf } from '../../scripts/codegen/contract-types.js';
import { readContract } from '../../src/contract/document/document.js';
import { projectFolder } from '../../src/project.js';
import { runTypeScript } from '../support/command.js';

/** A copy of the project that a test may change. */
async function copyProject(t: Test): Promise<string> {
  const folder = t.testdir();
  for (const part of ['generated', 'openapi', 'package.json', 'scripts', 'src', 'tsconfig.json']) {
    await cp(join(projectFolder, part), join(folder, part), { recursive: true });
  }
  await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const codegen = (folder: string, ...parameters: string[]) =>
  runTypeScript(join(folder, 'scripts', 'codegen.ts'), parameters, { cwd: folder });

t.test('generated/ is up to date with the YAML', async (t) => {
  t.match(await codegen(projectFolder, '--check'), { code: 0, err: '' });
});

t.test(
  'generated types: int64 is bigint, int32 is number, and each operation has the checks of its callers',
  async (t) => {
    const types = await readFile(join(projectFolder, 'generated', 'plants.ts'), 'utf8');
    t.match(types, /PlantId: bigint;/);
    t.match(types, /limit\?: number;/);
    t.match(types, /"deletePlant": \["bearerAuth"\];/);
  },
);

t.test('generated types: alternatives of security are a union; no credentials are []', async (t) => {
  const types = await typesOf(
    await readContract(join(projectFolder, 'scripts', 'faults', 'contracts', 'notes.yaml')),
  );
  t.match(types, /"removeNote": \["key"\] \| \["badge"\];/);
  t.match(types, /"listNotes": \["key"\] \| \[\];/);
  t.match(types, /"getNote": \[\] \| \["key"\];/);
});

t.test('codegen --check fails if the YAML has changed, writes nothing, and says what to do', async (t) => {
  const folder = await copyProject(t);
  const yaml = join(folder, 'openapi', 'plants.yaml');
  const types = join(folder, 'generated', 'plants.ts');
  await writeFile(
    yaml,
    (await readFile(yaml, 'utf8')).replace('summary: Delete a plant', 'summary: Fell a plant'),
  );
  const before = await readFile(types, 'utf8');
  t.match(await codegen(folder, '--check'), {
    code: 1,
    err: /generated\/plants\.ts is stale: run "npm run codegen"/,
  });
  t.equal(await readFile(types, 'utf8'), before);
  t.equal((await codegen(folder)).code, 0);
  t.match(await readFile(types, 'utf8'), 'Fell a plant');
  t.equal((await codegen(folder, '--check')).code, 0);
});

t.test('codegen refuses a faulty YAML with the place, and leaves generated/ as it was', async (t) => {
  const folder = await copyProject(t);
  const yaml = join(folder, 'openapi', 'plants.yaml');
  await writeFile(yaml, (await readFile(yaml, 'utf8')).replace('info:', 'info: ['));
  t.match(await codegen(folder), { code: 1, err: /^openapi\/plants\.yaml:\d+:\d+: / });
  t.match(await readFile(join(folder, 'generated', 'plants.ts'), 'utf8'), 'PlantId: bigint;');
});
