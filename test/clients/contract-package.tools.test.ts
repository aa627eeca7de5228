import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { portOf } from '../../packages/contract-tools/base.js';
import { changelogFaults, compareContracts } from '../../packages/contract-tools/diff.js';
import { readDocument } from '../../packages/contract-tools/index.js';
import { contractPair } from '../../packages/contract-tools/test/diff/cases/contract-pair.js';
import { contractFile, projectFolder } from '../../packages/kit/index.js';
import { runTypeScript } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';
import { readContract } from '../../packages/service-tools/index.js';

const run = promisify(execFile);
t.setTimeout(600_000);

const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
const { version, text: yaml } = await readContract(contractFile);
const tarball = `plant-store-contract-${version}.tgz`;

const pack = (folder: string, ...more: string[]) =>
  runTypeScript(join(projectFolder, 'scripts', 'pack-contract.ts'), ['--out', folder, ...more], {
    cwd: projectFolder,
  });

/**
 * Makes a project and installs the package offline.
 *
 * @param files those of the project; one that is called other.yaml is the contract
 */
async function install(t: Test, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = t.testdir({ 'package.json': '{ "name": "consumer", "private": true }', ...files });
  const other = 'other.yaml' in files ? ['--contract', join(folder, 'other.yaml')] : [];
  const packed = await pack(folder, ...other);
  if (packed.code !== 0) throw new Error(`pack:contract ends with ${packed.code}: ${packed.err}`);
  t.ok((await readdir(folder)).includes(tarball), 'it has the version of the contract');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: folder });
  return folder;
}

/** A program that uses the package: creates, lists and deletes a plant whose id no double holds. */
const consumer = String.raw`
import { type AnswerOf, type components, createClient, type operations } from 'plant-store-contract';
type Listed = operations['listPlants']['responses'][200]['content']['application/json'];
export const listed: Listed = [{ name: 'Ficus' }];
// @ts-expect-error An Error has a message.
export const error: components['schemas']['Error'] = { error: 400 };

async function main(): Promise<void> {
  const { PLANTS_URL: url = '', PLANTS_TOKEN: token = '' } = process.env;
  const plants = createClient({ url, token: async () => token });
  const id = 9007199254740993n;
  const plant: components['schemas']['NewPlant'] = { id, name: 'A "fig" \\', tag: undefined };
  const created: AnswerOf<'createPlant'> = await plants.createPlant({ body: plant });
  const all = await plants.listPlants();
  const one = await plants.listPlants({ query: { limit: 1 } });
  const conflict = await plants.createPlant({ body: { id, name: 'Other' } });
  const neighbour = await plants.deletePlant({ path: { id: id - 1n } });
  const deleted = await plants.deletePlant({ path: { id } });
  const refused = await createClient({ url: url + '/', token: 'plant_x' }).listPlants();
  // @ts-expect-error An id is a bigint.
  const word = await plants.deletePlant({ path: { id: 'seven' } });
  if (word.status === 400) console.error(word.body.message);
  if (refused.status === 401) console.error(refused.headers.get('www-authenticate'), refused.body.message);
  const told = [created, all, one, conflict, neighbour, deleted, refused, word];
  console.log(JSON.stringify(told.map(({ status, body }) => [status, body ?? null])));
}
main();
`;

const consumers = [
  { resolution: 'node10', file: 'consumer.ts', module: 'commonjs', output: 'consumer.js' },
  { resolution: 'node16', file: 'consumer.cts', module: 'node16', output: 'consumer.cjs' },
  { resolution: 'node16', file: 'consumer.mts', module: 'node16', output: 'consumer.mjs' },
  { resolution: 'bundler', file: 'consumer.mts', module: 'esnext', output: 'consumer.mjs' },
] as const;

t.test('the packed contract installs offline into an empty project', async (t) => {
  const folder = await install(t);
  const installed = join(folder, 'node_modules', 'plant-store-contract');
  t.strictSame(
    (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
    ['plant-store-contract'],
  );
  t.equal(
    await readFile(join(installed, 'openapi.yaml'), 'utf8'),
    await readFile(contractFile, 'utf8'),
    'the YAML, byte for byte',
  );

  const found = `console.log(import.meta.resolve('plant-store-contract/openapi.yaml'))`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', found], { cwd: folder });
  const yaml: { openapi: string } = parse(await readFile(new URL(stdout.trim()), 'utf8'));
  t.equal(yaml.openapi, '3.0.3');

  const service = await startService(t);
  for (const { resolution, file, module, output } of consumers) {
    t.test(`the client of the contract package compiles and works: ${resolution}, ${file}`, async (t) => {
      await writeFile(join(folder, file), consumer);
      const types = join(projectFolder, 'node_modules', '@types');
      const options = `--strict --target es2022 --lib es2022,dom --types node --typeRoots ${types}`.split(
        ' ',
      );
      const kind = ['--module', module, '--moduleResolution', resolution];
      const compiled = await run(process.execPath, [compiler, ...options, ...kind, file], {
        cwd: folder,
      }).catch((failure: { stdout: string }) => failure);
      t.equal(compiled.stdout, '');

      const token = await service.tokens.issue(`${resolution} ${file}`);
      const { stdout, stderr } = await run(process.execPath, [output], {
        cwd: folder,
        env: { PATH: process.env['PATH'], PLANTS_URL: service.address, PLANTS_TOKEN: token },
      });
      const plant = { name: 'A "fig" \\' };
      t.match(JSON.parse(stdout), [
        [200, plant],
        [200, [plant]],
        [200, [plant]],
        [409, { error: 409 }],
        [404, { error: 404 }],
        [204, null],
        [401, { error: 401 }],
        [400, { error: 400 }],
      ]);
      t.match(stderr, 'Bearer realm="Plant Store"');
    });
  }
});

t.test('pack:contract refuses to pack one version with two different documents', async (t) => {
  const folder = t.testdir({ 'other.yaml': '' });
  t.equal((await pack(folder)).code, 0);
  t.equal((await pack(folder)).code, 0, 'the same once more');
  const other = join(folder, 'other.yaml');
  const text = await readFile(contractFile, 'utf8');
  await writeFile(other, text.replace('maxLength: 255', 'maxLength: 254'));
  const refused = await pack(folder, '--contract', other);
  t.equal(refused.code, 2);
  t.match(
    refused.err,
    `${tarball} has this version with another document: raise the version, or remove that file.`,
  );
  await writeFile(
    other,
    text.replace('maxLength: 255', 'maxLength: 254').replace('version: 1.0.0', 'version: 2.0.0'),
  );
  t.equal((await pack(folder, '--contract', other)).code, 0);
});

/** A program that reads ids in answers, small ones and some that no double holds. */
const reader = `
import { createClient } from 'plant-store-contract';
const plants = createClient({ url: process.env['PLANTS_URL'] ?? '', token: 'none' });
const listed = await plants.listPlants();
if (listed.status !== 200) throw new Error(listed.body.message);
const ids: (bigint | undefined)[] = listed.body.map(({ id }) => id);
const weights: (number | undefined)[] = listed.body.map(({ weight }) => weight);
console.log(ids.map((id) => typeof id + ' ' + id).join(), weights.map((weight) => typeof weight).join());
`;

t.test('the client of the contract package reads an int64 in an answer as its type says', async (t) => {
  const text = (await readFile(contractFile, 'utf8')).replace(
    '        tag:\n          type: string',
    `        id: { $ref: "#/components/schemas/PlantId" }
        weight: { type: number }
        tag:
          type: string`,
  );
  const answer =
    '[{"name":"a","id":7,"weight":9007199254740993},{"name":"b","id":9007199254740993},{"name":"c"},{"name":"d","id":-9223372036854775808}]';
  const server = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const port = portOf(server);
  const folder = await install(t, { 'other.yaml': text, 'reader.mts': reader });
  const options = '--strict --target es2022 --lib es2022,dom --module node16 --moduleResolution node16';
  const types = ['--types', 'node', '--typeRoots', join(projectFolder, 'node_modules', '@types')];
  const compiled = await run(process.execPath, [compiler, ...options.split(' '), ...types, 'reader.mts'], {
    cwd: folder,
  }).catch((failure: { stdout: string }) => failure);
  t.equal(compiled.stdout, '');
  const { stdout } = await run(process.execPath, ['reader.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PLANTS_URL: `http://127.0.0.1:${port}` },
  });
  t.equal(
    stdout.trim(),
    'bigint 7,bigint 9007199254740993,undefined undefined,bigint -9223372036854775808 number,undefined,undefined,undefined',
  );
});

t.test('pack:contract refuses a contract whose parameters the client cannot send', async (t) => {
  const text = await readFile(contractFile, 'utf8');
  for (const [parameter, what] of [
    ['{ name: X-Bed, in: header, schema: { type: string } }', 'the header X-Bed'],
    ['{ name: bed, in: cookie, schema: { type: string } }', 'the cookie bed'],
    ['{ name: bed, in: query, schema: { type: array, items: { type: string } } }', 'the list bed'],
  ] as const) {
    const other = text.replace('        - name: limit\n', `        - ${parameter}\n        - name: limit\n`);
    const folder = t.testdir({ 'other.yaml': other });
    const { code, err } = await pack(folder, '--contract', join(folder, 'other.yaml'));
    t.equal(code, 2);
    t.match(err, `listPlants: the client of the package cannot send ${what}.`);
  }
});

t.test('CHANGELOG.md names every change that diff:contract finds', async (t) => {
  const name = 'CHANGELOG.md';
  const text = await readFile(join(projectFolder, name), 'utf8');
  const contract = readDocument(yaml, 'openapi/plants.yaml');
  // The first version is compared with a contract without operations.
  const nothing = readDocument(
    contract.text.replace(/^paths:\n.*?^components:/ms, 'paths: {}\ncomponents:'),
    'old',
  );
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
  const next = readDocument(changed.next, 'next');
  const changes = compareContracts(readDocument(changed.base, 'base'), next);
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
