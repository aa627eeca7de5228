/** The patterns of a contract are judged before an example or a text asks them. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { lintCommand } from '../../../contract-tools/lint.js';
import { contractFile } from '../../../kit/index.js';
import { inProcess } from '../../../kit/testing.js';
import { codegen } from '../../src/codegen/codegen-command.js';
import { ownLintCaller } from '../../src/lint/own-contract.js';

t.setTimeout(600_000);

const contract = readFileSync(contractFile, 'utf8');
const was = /maxLength: 255\n( +)pattern: '\^\[\^\\x00\]\*\$'\n +example: climber/;

/** @returns the path of a contract with another pattern of the tag, which has `example` */
function withPattern(
  t: Test,
  pattern: string,
  { example = 'herb', maxLength = '255', isValid = true } = {},
): string {
  const yaml = contract.replace(was, (_, indent: string) =>
    [
      maxLength === '' ? 'minLength: 0' : `maxLength: ${maxLength}`,
      `${indent}pattern: '${pattern}'`,
      `${indent}example: '${example}'`,
    ].join('\n'),
  );
  if (yaml === contract) throw new Error('The contract has no such pattern.');
  const text = isValid ? yaml : yaml.replace('      operationId:', '      operationID:');
  return join(t.testdir({ 'copy.yaml': text, generated: {} }), 'copy.yaml');
}

const breaksAtItsEnd = `${'a'.repeat(60)}!`;

const faults: readonly (readonly [pattern: string, maxLength: string, says: RegExp])[] = [
  ['^([a-z]+)+$', '255', /can double the time .* such as "\^\[a-z\]\+\$"/],
  ['^([A-Za-z ]+)+$', '255', /can double the time/],
  ['^(?=[a-z])([a-z]+)+$', '255', /can double the time/],
  ['^[a-z]*[a-z0-9]*$', '1001', /to the power of 2: write "maxLength" beside it of at most 1000, or/],
  ['^[a-z]*[a-z0-9]*$', '', /to the power of 2/],
  ['^[a-z]*[a-z0-9]*[a-z_]*$', '101', /to the power of 3: .* at most 100,/],
];
for (const [pattern, maxLength, says] of faults) {
  t.test(`${pattern} with maxLength "${maxLength}" is an error of lint and codegen`, async (t) => {
    const file = withPattern(t, pattern, { example: breaksAtItsEnd, maxLength });
    const linted = await inProcess(t, () => lintCommand([file], ownLintCaller));
    t.equal(linted.code, 1);
    t.match(linted.out, /^\S+copy\.yaml:\d+:\d+ error contract\/slow-pattern /);
    t.match(linted.out, says);
    const generated = join(dirname(file), 'generated');
    const refused = await inProcess(t, () => codegen([], [{ contract: file, generated }]));
    t.equal(refused.code, 2);
    t.match(refused.err, /copy\.yaml:\d+:\d+: /);
    t.match(refused.err, says);
  });
}

t.test('a pattern of a document that is not valid is judged, too', async (t) => {
  const file = withPattern(t, '^([a-z]+)+$', { example: breaksAtItsEnd, isValid: false });
  const { code, out } = await inProcess(t, () => lintCommand([file], ownLintCaller));
  t.equal(code, 1);
  t.match(out, /error contract\/slow-pattern /);
});

for (const maxLength of ['1000', '255']) {
  t.test(`a polynomial pattern may stay with maxLength ${maxLength}`, async (t) => {
    const file = withPattern(t, '^[a-z]*[a-z0-9]*$', { maxLength });
    t.match(await inProcess(t, () => lintCommand([file], ownLintCaller)), { code: 0, err: '' });
  });
}

t.test('a pattern of which nobody knows is a note', async (t) => {
  // recheck does not know this script of Unicode 15.
  const file = withPattern(t, '^(?=\\p{Script=Kawi}|[a-z])[a-z]*$');
  const { code, out } = await inProcess(t, () => lintCommand([file], ownLintCaller));
  t.match(out, /^\S+copy\.yaml:\d+:\d+ info contract\/slow-pattern Nobody knows/);
  t.match(out, /copy\.yaml keeps every rule\.\n$/);
  t.equal(code, 0);
});
