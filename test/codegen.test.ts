import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { projectFolder } from '../src/project.js';

const run = promisify(execFile);

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
  // tap records coverage in every process, by NODE_OPTIONS; by tsx's line numbers, it would be wrong.
  run(
    '/usr/bin/env',
    [
      '-u',
      'NODE_OPTIONS',
      process.execPath,
      '--import',
      'tsx',
      join(folder, 'scripts', 'codegen.ts'),
      ...parameters,
    ],
    { cwd: folder },
  );

t.test('generated/ is what the YAML gives', async (t) => {
  await t.resolves(codegen(projectFolder, '--check'));
});

t.test(
  'int64 is bigint, int32 is number, and each operation says which checks its caller must pass',
  async (t) => {
    const types = await readFile(join(projectFolder, 'generated', 'plants.ts'), 'utf8');
    t.match(types, /PlantId: bigint;/);
    t.match(types, /limit\?: number;/);
    t.match(types, /"deletePlant": \["bearerAuth"\];/);
  },
);

t.test('--check fails where the YAML has changed, writes nothing, and says what to do', async (t) => {
  const folder = await copyProject(t);
  const yaml = join(folder, 'openapi', 'plants.yaml');
  const types = join(folder, 'generated', 'plants.ts');
  await writeFile(
    yaml,
    (await readFile(yaml, 'utf8')).replace('summary: Delete a plant', 'summary: Fell a plant'),
  );
  const before = await readFile(types, 'utf8');
  await t.rejects(codegen(folder, '--check'), {
    code: 1,
    stderr: /generated\/plants\.ts is stale: run "npm run codegen"/,
  });
  t.equal(await readFile(types, 'utf8'), before);
  await codegen(folder);
  t.match(await readFile(types, 'utf8'), 'Fell a plant');
  await t.resolves(codegen(folder, '--check'));
});

t.test('a YAML that is wrong is refused with its place, and generated/ stays', async (t) => {
  const folder = await copyProject(t);
  const yaml = join(folder, 'openapi', 'plants.yaml');
  await writeFile(yaml, (await readFile(yaml, 'utf8')).replace('info:', 'info: ['));
  await t.rejects(codegen(folder), { code: 1, stderr: /^openapi\/plants\.yaml:\d+:\d+: / });
  t.match(await readFile(join(folder, 'generated', 'plants.ts'), 'utf8'), 'PlantId: bigint;');
});
