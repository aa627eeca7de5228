import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { documentOf } from '../../../service-tools/codegen.js';
import { readContract } from '../../../service-tools/index.js';
import type { Contract } from '../../src/contract/contract.js';
import { type GeneratedDocument, readGenerated } from '../../src/contract/generated.js';

const others = join(projectFolder, 'test', 'faults', 'contracts');
/** It is 3.1; the others are 3.0. */
const gardens = join(projectFolder, 'examples', 'gardens', 'openapi', 'gardens.yaml');

t.test('the start has of a generated document what the YAML says, with the same places', async (t) => {
  const files = (await readdir(others)).map((name) => join(others, name));
  for (const file of [contractFile, gardens, ...files]) {
    const written = await readContract(file);
    const generated: GeneratedDocument = JSON.parse(documentOf(written));
    const read = await readGenerated(file, generated);
    t.strictSame(serviceOf(read), serviceOf(written), file);
    for (const path of [[], ['info', 'version'], ['paths', '/nowhere'], ['components', 'schemas']])
      t.equal(read.place(path), written.place(path), `${file}: ${path.join('/')}`);
  }
});

t.test('the service starts from the contract in openapi/', async (t) => {
  const started = await plantStore.readContract();
  t.strictSame(serviceOf(started), serviceOf(await readContract(started.file)));
});

/** All of a contract but its functions. The objects that `parseJson` makes inherit nothing. */
function serviceOf({ file, text, title, version, root, operations }: Contract): unknown {
  return { file, text, title, version, form: shown(root.value), operations: shown(operations) };
}

/** Writes bigints with an "n", to tell them from numbers. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Map ? [...part] : part,
  );
}

t.test('the start refuses a document that was made from other bytes, and says what to do', async (t) => {
  const text = await readFile(contractFile, 'utf8');
  const generated: GeneratedDocument = JSON.parse(documentOf(await readContract(contractFile)));
  const file = join(t.testdir({ 'plants.yaml': text }), 'plants.yaml');
  await t.resolves(readGenerated(file, generated));
  for (const edited of [
    text.replace('summary: Delete a plant', 'summary: Fell a plant'),
    // It moves the places.
    `# A comment.\n${text}`,
    text.replace('info:', 'info: ['),
  ]) {
    await writeFile(file, edited);
    await t.rejects(readGenerated(file, generated), {
      name: 'ContractError',
      message: /plants\.yaml:1:1: generated\/ was made from another document: run "npm run codegen"/,
    });
  }
});
