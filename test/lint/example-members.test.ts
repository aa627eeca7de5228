import { readFileSync } from 'node:fs';
import t from 'tap';
import { unknownExampleMembers } from '../../scripts/lint/example-members.js';
import { contractFile } from '../../src/project.js';

const contract = readFileSync(contractFile, 'utf8');

t.test('lint:contract finds no unknown members in the examples of the contract', async (t) => {
  t.strictSame(await unknownExampleMembers(contractFile, contract), []);
});

t.test("lint:contract names each member of a request's example that no schema names", async (t) => {
  const copy = contract.replace(
    'value: { id: -8, name: Ficus }',
    'value: { id: -8, name: Ficus, tga: indoor }',
  );
  t.not(copy, contract);
  const line = copy.split('\n').findIndex((text) => text.includes('tga')) + 1;
  t.match(await unknownExampleMembers(contractFile, copy), [{ line, message: /"tga"/ }]);
});

t.test('lint:contract leaves a document that is not valid to the linters', async (t) => {
  t.strictSame(await unknownExampleMembers(contractFile, 'openapi: 3.0.3\n'), []);
});
