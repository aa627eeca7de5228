import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { parse } from 'yaml';
import { changelogFaults } from '../scripts/diff/changelog.js';
import { compareContracts } from '../scripts/diff/compare.js';
import { type ContractDocument, parseContract, readContract } from '../src/contract/document.js';
import { contractFile, projectFolder } from '../src/project.js';
import { contractPair } from './fixtures/contract-pair.js';
import { runTypeScript } from './support/command.js';

const run = promisify(execFile);
t.setTimeout(600_000);

t.test('the packed contract installs offline into an empty project, which compiles against it', async (t) => {
  const folder = t.testdir({ 'package.json': '{ "name": "consumer", "private": true, "type": "module" }' });
  const packed = await runTypeScript(join(projectFolder, 'scripts', 'pack-contract.ts'), ['--out', folder], {
    cwd: projectFolder,
  });
  t.equal(packed.code, 0, packed.err);
  const { document } = await readContract(contractFile);
  const tarball = `plant-store-contract-${document.info.version}.tgz`;
  t.ok((await readdir(folder)).includes(tarball), 'it has the version of the contract');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: folder });

  const installed = join(folder, 'node_modules', 'plant-store-contract');
  t.strictSame(
    (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
    ['plant-store-contract'],
  );
  t.equal(
    await readFile(join(installed, 'plants.yaml'), 'utf8'),
    await readFile(contractFile, 'utf8'),
    'the YAML, byte for byte',
  );

  await writeFile(
    join(folder, 'consumer.ts'),
    `import document from 'plant-store-contract/openapi.json' with { type: 'json' };
     import type { components, operations } from 'plant-store-contract';
     const plant: components['schemas']['NewPlant'] = { id: 9007199254740993n, name: 'Ficus' };
     type Listed = operations['listPlants']['responses'][200]['content']['application/json'];
     export const plants: Listed = [{ name: plant.name }];
     // @ts-expect-error An Error has a message.
     export const error: components['schemas']['Error'] = { error: 400 };
     export const version: string = document.info.version;
    `,
  );
  const options = '--strict --noEmit --module nodenext --target es2023 --resolveJsonModule'.split(' ');
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  await t.resolves(run(process.execPath, [compiler, ...options, 'consumer.ts'], { cwd: folder }));

  const found = `console.log(import.meta.resolve('plant-store-contract/openapi.yaml'))`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', found], { cwd: folder });
  const yaml: { openapi: string } = parse(await readFile(new URL(stdout.trim()), 'utf8'));
  t.equal(yaml.openapi, '3.0.3');
});

t.test('CHANGELOG.md names what the comparison of contracts finds', async (t) => {
  const name = 'CHANGELOG.md';
  const text = await readFile(join(projectFolder, name), 'utf8');
  const contract = await readContract(contractFile);
  // Before the first version there were no operations.
  const nothing: ContractDocument = { ...contract, document: { ...contract.document, paths: {} } };
  t.strictSame(changelogFaults({ name, text }, compareContracts(nothing, contract), contract), []);

  const changed = await contractPair({
    name: 'limit lowered',
    document: 'plants',
    next: [
      ['set', 'paths /plants post requestBody x-limits bytes', 4096],
      ['set', 'info version', '2.0.0'],
    ],
    verdict: 'breaking',
  });
  const next = await parseContract(changed.next, 'next');
  const changes = compareContracts(await parseContract(changed.base, 'base'), next);
  t.strictSame(changelogFaults({ name, text }, changes, next), [
    'CHANGELOG.md must begin with a section "## 2.0.0".',
  ]);
  const section = (entry: string) => ({
    name,
    text: text.replace('## 1.0.0', `## 2.0.0\n\n${entry}\n\n## 1.0.0`),
  });
  t.strictSame(changelogFaults(section('- Something.'), changes, next), [
    'CHANGELOG.md, section 2.0.0, must name `POST /plants`, which changed.',
    'CHANGELOG.md, section 2.0.0, must say what is breaking.',
  ]);
  t.strictSame(changelogFaults(section('- Breaking: `POST /plants` takes 4096 bytes.'), changes, next), []);
});
