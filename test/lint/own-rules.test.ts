import { readFileSync } from 'node:fs';
import t from 'tap';
import { ownProblems } from '../../scripts/contract/lint/own-rules.js';
import { answersThatPackRefuses } from '../../scripts/lint/own-contract.js';
import { contractFile } from '../../src/project.js';

const contract = readFileSync(contractFile, 'utf8');

/** The operations that answer with a Plant. A contract that has grown may have more of them than this one. */
const operationsWithPlant = contract
  .slice(0, contract.indexOf('\ncomponents:'))
  .split(/^ +operationId: /m)
  .filter((operation) => operation.includes('"#/components/schemas/Plant"'))
  .map((operation) => operation.split('\n')[0])
  .sort();

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

t.test('lint:contract names each answer with an int64, which pack:contract refuses', async (t) => {
  // No other edit of the contract adds a member of this name.
  const { copy } = edited(
    '        tag:\n          type: string',
    '        unpackable: { type: integer, format: int64 }\n        tag:\n          type: string',
  );
  const problems = await answersThatPackRefuses(contractFile, copy);
  for (const operation of ['createPlant', 'listPlants']) t.ok(operationsWithPlant.includes(operation));
  t.strictSame(
    problems.map(({ rule, message }) => [rule, /answer of (\w+)/.exec(message)?.[1]]).sort(),
    operationsWithPlant.map((operation) => ['contract/int64-in-an-answer', operation]),
  );
});

t.test('lint:contract leaves a document that is not valid to Redocly', async (t) => {
  t.strictSame(await ownProblems(contractFile, 'openapi: 3.0.3\n'), []);
});
