import { readFile } from 'node:fs/promises';
import t from 'tap';
import { allRules, readRules } from '../../packages/contract-tools/check.js';
import { operationsOf, readDocument } from '../../packages/contract-tools/index.js';
import { contractFile } from '../../packages/kit/index.js';
import { readContract } from '../../packages/service-tools/index.js';

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
