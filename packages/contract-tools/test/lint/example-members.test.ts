import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readDocument } from '../../src/document/read-document.js';
import { unknownExampleMembers } from '../../src/lint/example-members.js';

const contractFile = join(import.meta.dirname, '..', 'documents', 'plants.yaml');
const contract = readFileSync(contractFile, 'utf8');

const problemsOf = (text: string) => unknownExampleMembers(readDocument(text, contractFile).root);

/** The contract with another text, and the line where that begins. */
function edited(from: string, to: string) {
  const [before = '', after] = contract.split(from);
  if (after === undefined) throw new Error(`The contract has no "${from}".`);
  return { copy: contract.replace(from, () => to), line: before.split('\n').length };
}

t.test('lint:contract finds nothing in the examples of the contract', (t) => {
  t.strictSame(problemsOf(contract), []);
  t.end();
});

t.test("lint:contract names each member of a request's example that no schema names", (t) => {
  const { copy, line } = edited('value: { id: -8, ', 'value: { id: -8, tga: indoor, ');
  t.match(problemsOf(copy), [{ line, message: /"tga"/ }]);
  t.end();
});
