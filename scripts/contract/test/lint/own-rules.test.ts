import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ownProblems } from '../../lint/own-rules.js';

const contractFile = join(import.meta.dirname, '..', 'documents', 'plants.yaml');
const contract = readFileSync(contractFile, 'utf8');

/** The contract with another text, and the line where that begins. */
function edited(from: string, to: string) {
  const [before = '', after] = contract.split(from);
  if (after === undefined) throw new Error(`The contract has no "${from}".`);
  return { copy: contract.replace(from, () => to), line: before.split('\n').length };
}

t.test('lint:contract finds nothing in the examples of the contract', async (t) => {
  t.strictSame(await ownProblems(contractFile, contract), []);
});

t.test("lint:contract names each member of a request's example that no schema names", async (t) => {
  const { copy, line } = edited('value: { id: -8, ', 'value: { id: -8, tga: indoor, ');
  t.match(await ownProblems(contractFile, copy), [{ line, message: /"tga"/ }]);
});

t.test('lint:contract leaves a document that is not valid to Redocly', async (t) => {
  t.strictSame(await ownProblems(contractFile, 'openapi: 3.0.3\n'), []);
});
