import { readFile } from 'node:fs/promises';
import t from 'tap';
import { allRules, readRules } from '../../packages/contract-tools/src/check/document/rules.js';
import { operationsOf } from '../../packages/contract-tools/src/document/operations.js';
import { readDocument } from '../../packages/contract-tools/src/document/read-document.js';
import { contractFile } from '../../packages/kit/src/project.js';
import { readContract } from '../../packages/service-tools/src/codegen/read-contract.js';

t.test('plants.yaml promises every rule', async (t) => {
  t.same((await readRules(contractFile)).on, allRules.on);
});

t.test('check:contract reads a contract of this project as the service does', async (t) => {
  const { operations, leftOut } = operationsOf(
    readDocument(await readFile(contractFile, 'utf8'), contractFile),
  );
  t.same(leftOut, []);
  const own = await readContract(contractFile);
  t.same(
    operations.map(({ id, method, path, body }) => [id, method, path, body?.limits]),
    own.operations.map(({ id, method, path, requestBody }) => [id, method, path, requestBody?.limits]),
  );
});
