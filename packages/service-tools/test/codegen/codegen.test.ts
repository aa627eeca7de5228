import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { inProcess, runTypeScript } from '../../../kit/testing.js';
import { codegen } from '../../src/codegen/codegen-command.js';
import { typesOf } from '../../src/codegen/contract-types.js';
import { readContract, readContractText } from '../../src/codegen/read-contract.js';
import { generatedFolder } from '../../src/project.js';

const names = ['plants.ts', 'plants.json'];

/** A contract and what is generated from it, which a test may change. */
async function copyContract(t: Test) {
  const yaml = await readFile(contractFile, 'utf8');
  const texts = names.map(async (name) => [name, await readFile(join(generatedFolder, name), 'utf8')]);
  const folder = t.testdir({ 'plants.yaml': yaml, ...Object.fromEntries(await Promise.all(texts)) });
  const contract = join(folder, 'plants.yaml');
  const run = (...parameters: string[]) =>
    inProcess(t, () => codegen(parameters, [{ contract, generated: folder }]));
  const read = () => Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return { yaml, contract, folder, run, read };
}

t.test(
  'generated types: int64 is bigint, int32 is number, and each operation has the checks of its callers',
  async (t) => {
    const types = await readFile(join(generatedFolder, 'plants.ts'), 'utf8');
    t.match(types, /PlantId: bigint;/);
    t.match(types, /limit\?: number;/);
    t.match(types, /"deletePlant": \["bearerAuth"\];/);
  },
);

t.test('generated types: alternatives of security are a union; no credentials are []', async (t) => {
  const types = await typesOf(
    await readContract(join(projectFolder, 'test', 'faults', 'contracts', 'notes.yaml')),
  );
  t.match(types, /"removeNote": \["key"\] \| \["badge"\];/);
  t.match(types, /"listNotes": \["key"\] \| \[\];/);
  t.match(types, /"getNote": \[\] \| \["key"\];/);
});

t.test(
  'generated types: what stands beside the $ref of a schema counts in 3.1, as the layer counts it',
  async (t) => {
    const text = `openapi: 3.1.2
info: { title: Siblings, version: 1.0.0 }
paths: {}
components:
  schemas:
    Base: { type: object, required: [a], properties: { a: { type: string } } }
    Told: { $ref: '#/components/schemas/Base', description: The same. }
    Wider: { $ref: '#/components/schemas/Base', properties: { b: { type: boolean } }, required: [b] }
`;
    const types = await typesOf(await readContractText(text, 'siblings.yaml'));
    t.match(types, /Told: components\["schemas"\]\["Base"\];/);
    t.match(types, /Wider: components\["schemas"\]\["Base"\] & \{\s+b: boolean;\s+\};/);
  },
);

t.test('codegen --check fails if the YAML has changed, writes nothing, and says what to do', async (t) => {
  const { yaml, contract, run, read } = await copyContract(t);
  const before = await read();
  t.equal((await run('--check')).code, 0);
  await writeFile(contract, yaml.replace('summary: Delete a plant', 'summary: Fell a plant'));
  const { code, err } = await run('--check');
  t.equal(code, 1);
  for (const name of names) t.match(err, `${name} is stale: run "npm run codegen"`);
  t.strictSame(await read(), before);
  t.equal((await run()).code, 0);
  for (const text of await read()) t.match(text, 'Fell a plant');
  t.equal((await run('--check')).code, 0);
});

t.test('codegen --check fails if a generated file is not there, or was edited', async (t) => {
  const { folder, run, read } = await copyContract(t);
  const [types = '', document = ''] = await read();
  await rm(join(folder, 'plants.ts'));
  await writeFile(join(folder, 'plants.json'), document.replace('Delete a plant', 'Fell a plant'));
  const first = await run('--check');
  await writeFile(join(folder, 'plants.ts'), types.replace('Delete a plant', 'Fell a plant'));
  await rm(join(folder, 'plants.json'));
  for (const { code, err } of [first, await run('--check')]) {
    t.equal(code, 1);
    for (const name of names) t.match(err, `${name} is stale`);
  }
});

t.test('a comment in the YAML moves places, and makes only the document stale', async (t) => {
  const { yaml, contract, run } = await copyContract(t);
  await writeFile(contract, `# A comment.\n${yaml}`);
  const { code, err } = await run('--check');
  t.equal(code, 1);
  t.match(err, 'plants.json is stale');
  t.notMatch(err, 'plants.ts');
});

t.test('codegen refuses a faulty YAML with the place, and leaves generated/ as it was', async (t) => {
  const { yaml, contract, run, read } = await copyContract(t);
  const before = await read();
  for (const [old, next, said] of [
    ['info:', 'info: [', 'Implicit keys need to be on a single line'],
    ['maxLength: 255', 'maxLength: long', '"long" is of the wrong type: write an integer'],
    ['minLength: 1', 'format: colour', 'nothing checks the format "colour"'],
    ['/plants/{id}:', '/plants/{id}:water:', 'the router does not do /plants/{id}:water'],
    ['version: 1.0.0', 'version: 1.0', 'this is read as the number 1: write it in quotes'],
  ] as const) {
    await writeFile(contract, yaml.replace(old, next));
    const { code, err } = await run();
    t.equal(code, 2, next);
    t.match(err, /^\S*plants\.yaml:\d+:\d+: /, next);
    t.match(err, said);
  }
  t.strictSame(await read(), before);
});

t.test('codegen refuses with its place what swagger-parser, by which generators read, refuses', async (t) => {
  const { yaml, contract, run, read } = await copyContract(t);
  const before = await read();
  const example = 'value: { id: -8, ';
  for (const [old, next, line, said] of [
    ['openapi: 3.0.3', 'openapi: 3.2.0', 'openapi: 3.2.0', 'Unsupported OpenAPI version: 3.2.0'],
    [
      '$ref: "#/components/schemas/NewPlant"',
      '$ref: "#/components/schemas/NewPlant"\n              nulable: true',
      '              nulable: true',
      '"nulable" has no meaning here',
    ],
    ['\ntags:', '\nx-own: { $ref: "#/nowhere" }\n\ntags:', 'x-own:', 'finds no #/nowhere'],
    [example, `${example}$ref: "#/nowhere", `, example, 'finds no #/nowhere'],
  ] as const) {
    const changed = yaml.replace(old, () => next);
    await writeFile(contract, changed);
    const { code, err } = await run();
    t.equal(code, 2, next);
    const [beginning = ''] = changed.split(line);
    t.match(err, `plants.yaml:${beginning.split('\n').length}:`, next);
    t.match(err, said);
    t.match(err, 'swagger-parser, by which');
  }
  t.strictSame(await read(), before);
});

t.test('a schema that contains itself, and one that many refer to, are no faults for codegen', async (t) => {
  const { yaml, contract, run } = await copyContract(t);
  const named = 'schemas:\n';
  const circle = `${named}    Bed:
      type: object
      properties:
        beside: { $ref: "#/components/schemas/Bed" }
        below: { type: array, items: { $ref: "#/components/schemas/Bed" } }
        first: { $ref: "#/components/schemas/PlantId" }
        last: { $ref: "#/components/schemas/PlantId" }
`;
  t.match(yaml, named);
  await writeFile(
    contract,
    yaml.replace(named, () => circle),
  );
  t.strictSame(await run(), { code: 0, out: '', err: '' });
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
