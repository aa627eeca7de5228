import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parseDocument } from 'yaml';
import { contractFile } from '../../../kit/index.js';
import { newPlantText } from '../support/plants.js';
import { startService } from '../support/service.js';

t.test('a status that the contract does not list under an operation becomes a 500', async (t) => {
  const yaml = join(t.testdir(), 'plants.yaml');
  const contract = parseDocument(await readFile(contractFile, 'utf8'));
  for (const status of ['400', '409'])
    t.ok(contract.deleteIn(['paths', '/plants', 'post', 'responses', status]));
  await writeFile(yaml, String(contract));

  // startService skips the check of the start that would refuse this contract.
  const { call, log } = await startService(t, { contractFile: yaml });
  await call('POST', '/plants', { body: newPlantText({ id: 1, name: 'Ficus' }) });
  for (const [body, said] of [
    ['{"id":1}', 'createPlant does not document 400'],
    [newPlantText({ id: 1, name: 'Fern' }), 'createPlant 409: the contract does not document this status.'],
  ] as const) {
    const answer = await call('POST', '/plants', { body });
    const failed = { error: 500, message: 'The server failed to answer this request.' };
    t.strictSame([answer.status, answer.body], [500, failed]);
    t.match(log(), said);
  }
});
