import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { codegen } from '../../scripts/contract/codegen/command.js';
import { typesOf } from '../../scripts/contract/codegen/contract-types.js';
import { readContract } from '../../src/contract/document/document.js';
import { contractFile, projectFolder } from '../../src/project.js';
import { runTypeScript } from '../support/command.js';
import { inProcess } from '../support/in-process.js';

/** A contract and its types, which a test may change. */
async function copyContract(t: Test) {
  const yaml = await readFile(contractFile, 'utf8');
  const generated = await readFile(join(projectFolder, 'generated', 'plants.ts'), 'utf8');
  const folder = t.testdir({ 'plants.yaml': yaml, 'plants.ts': generated });
  const files = { contract: join(folder, 'plants.yaml'), types: join(folder, 'plants.ts') };
  const run = (...parameters: string[]) => inProcess(t, () => codegen(parameters, files));
  return { yaml, generated, ...files, run };
}

t.test('generated/ is up to date with the YAML', async (t) => {
  t.match(await inProcess(t, () => codegen(['--check'])), { code: 0, err: '' });
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
    await readContract(join(projectFolder, 'scripts', 'contract', 'faults', 'contracts', 'notes.yaml')),
  );
  t.match(types, /"removeNote": \["key"\] \| \["badge"\];/);
  t.match(types, /"listNotes": \["key"\] \| \[\];/);
  t.match(types, /"getNote": \[\] \| \["key"\];/);
});

t.test('codegen --check fails if the YAML has changed, writes nothing, and says what to do', async (t) => {
  const { yaml, generated, contract, types, run } = await copyContract(t);
  t.equal((await run('--check')).code, 0);
  await writeFile(contract, yaml.replace('summary: Delete a plant', 'summary: Fell a plant'));
  t.match(await run('--check'), { code: 1, err: /plants\.ts is stale: run "npm run codegen"/ });
  t.equal(await readFile(types, 'utf8'), generated);
  t.equal((await run()).code, 0);
  t.match(await readFile(types, 'utf8'), 'Fell a plant');
  t.equal((await run('--check')).code, 0);
});

t.test('codegen --check fails if there is nothing generated', async (t) => {
  const { types, run } = await copyContract(t);
  await rm(types);
  t.match(await run('--check'), { code: 1, err: /plants\.ts is stale/ });
});

t.test('codegen refuses a faulty YAML with the place, and leaves generated/ as it was', async (t) => {
  const { yaml, generated, contract, types, run } = await copyContract(t);
  await writeFile(contract, yaml.replace('info:', 'info: ['));
  t.match(await run(), { code: 2, err: /^\S*plants\.yaml:\d+:\d+: / });
  t.equal(await readFile(types, 'utf8'), generated);
});

t.test('codegen refuses an option that it does not have', async (t) => {
  t.match(await inProcess(t, () => codegen(['--chek'])), { code: 2, err: /--chek/ });
});

t.test('the command of its own process exits 2 if it fails', async (t) => {
  t.match(await runTypeScript(join(projectFolder, 'scripts', 'codegen.ts'), ['--chek']), {
    code: 2,
    err: /--chek/,
  });
});
