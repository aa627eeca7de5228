import t from 'tap';
import { readContract } from '../../scripts/codegen/read-contract.js';
import { readAnyContract } from '../../scripts/contract/check/document/any-contract.js';
import { allRules, readRules } from '../../scripts/contract/check/document/rules.js';
import { contractFile } from '../../src/project.js';

t.test('plants.yaml promises every rule', async (t) => {
  t.same((await readRules(contractFile)).on, allRules.on);
});

t.test('check:contract reads a contract of this project as the service does', async (t) => {
  const { contract, leftOut } = await readAnyContract(contractFile);
  t.same(leftOut, []);
  const own = await readContract(contractFile);
  const told = (operations: typeof own.operations) =>
    operations.map(({ id, method, path, requestBody }) => [id, method, path, requestBody?.limits]);
  t.same(told(contract.operations), told(own.operations));
});
