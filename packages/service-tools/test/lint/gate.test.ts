import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { lintCommand } from '../../../contract-tools/lint.js';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { inProcess } from '../../../kit/testing.js';
import { ownLintCaller } from '../../src/lint/own-contract.js';

/** That lint:contract refuses a broken rule at all. lint-contract.hours.test.ts tries the rules. */

// Loading the linters takes two seconds; slow machines get more time.
t.setTimeout(600_000);

const contract = readFileSync(contractFile, 'utf8');

async function lint(t: Test, from: string, to: string) {
  const copy = contract.replace(from, () => to);
  if (copy === contract && from !== to) throw new Error(`The contract has no "${from}".`);
  const file = join(t.testdir({ 'copy.yaml': copy }), 'copy.yaml');
  return inProcess(t, () => lintCommand([file], ownLintCaller));
}

t.test('the command lint:contract exits 0 with one line if every rule is kept', async (t) => {
  t.match(await inProcess(t, () => lintCommand([], ownLintCaller)), {
    code: 0,
    out: 'openapi/plants.yaml keeps every rule.\n',
    err: '',
  });
});

t.test('lint:contract judges alike in a folder whose name has characters of URLs', async (t) => {
  const folder = join(t.testdir(), 'my app #1 100%25 ü');
  await mkdir(folder);
  await writeFile(join(folder, 'plants.yaml'), contract);
  const before = process.cwd();
  t.teardown(() => process.chdir(before));
  process.chdir(folder);
  t.match(await inProcess(t, () => lintCommand(['plants.yaml'], ownLintCaller)), {
    code: 0,
    out: 'plants.yaml keeps every rule.\n',
    err: '',
  });
});

t.test('the contract of the example keeps every rule, too', async (t) => {
  const file = join(projectFolder, 'examples', 'gardens', 'openapi', 'gardens.yaml');
  t.match(await inProcess(t, () => lintCommand([file], ownLintCaller)), {
    code: 0,
    out: /keeps every rule\.\n$/,
    err: '',
  });
});

const faults: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['redocly/operation-summary', '      summary: Delete a plant\n', ''],
  ['redocly/rule/string-limit', '          maxLength: 1000\n', ''],
  ['yaml/DUPLICATE_KEY', '  title: Plant Store\n', '  title: Plant Store\n  title: Plant Shop\n'],
];

for (const [rule, from, to] of faults) {
  t.test(`the command lint:contract exits 1 if ${rule} is broken`, async (t) => {
    const { code, out, err } = await lint(t, from, to);
    t.strictSame([code, err], [1, '']);
    t.match(out, new RegExp(`^\\S+copy\\.yaml:\\d+:\\d+ \\w+ ${rule} `));
  });
}

t.test('lint:contract names file, place, severity and rule', async (t) => {
  const was = '      description: |\n        Deletes one';
  const before = contract.split('    delete:')[0]?.split('\n').length;
  const ended = await lint(t, was, was.replace('description', 'x-was'));
  t.equal(ended.code, 1);
  t.match(
    ended.out,
    new RegExp(`^\\S+copy\\.yaml:${before}:5 error redocly/operation-description Operation .+\\n$`),
  );
});

t.test('lint:contract exits 1 for what only the start refuses', async (t) => {
  const ended = await lint(t, 'minLength: 1', 'format: colour');
  t.equal(ended.code, 1);
  t.match(ended.out, 'nothing checks the format "colour"');
  const unroutable = await lint(t, '/plants/{id}:', '/plants/{id}:water:');
  t.equal(unroutable.code, 1);
  t.match(unroutable.out, 'the router does not do /plants/{id}:water');
});
