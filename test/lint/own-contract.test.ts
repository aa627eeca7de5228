import { readFileSync } from 'node:fs';
import t from 'tap';
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

t.test('lint:contract names each answer with an int64, which pack:contract refuses', async (t) => {
  // No other edit of the contract adds a member of this name.
  const copy = contract.replace(
    '        tag:\n          type: string',
    (tag) => `        unpackable: { type: integer, format: int64 }\n${tag}`,
  );
  t.not(copy, contract);
  const problems = await answersThatPackRefuses(contractFile, copy);
  for (const operation of ['createPlant', 'listPlants']) t.ok(operationsWithPlant.includes(operation));
  t.strictSame(
    problems.map(({ rule, message }) => [rule, /answer of (\w+)/.exec(message)?.[1]]).sort(),
    operationsWithPlant.map((operation) => ['contract/int64-in-an-answer', operation]),
  );
  t.strictSame(await answersThatPackRefuses(contractFile, contract), []);
});
