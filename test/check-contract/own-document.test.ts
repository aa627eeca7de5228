import { readFile } from 'node:fs/promises';
import t from 'tap';
import { readContract } from '../../scripts/codegen/read-contract.js';
import { allRules, readRules } from '../../scripts/contract/check/document/rules.js';
import { operationsOf } from '../../scripts/contract/document/operations.js';
import { readDocument } from '../../scripts/contract/document/read-document.js';
import { contractFile } from '../../src/project.js';

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
