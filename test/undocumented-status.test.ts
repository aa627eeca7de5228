import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parseDocument } from 'yaml';
import { contractFile } from '../src/project.js';
import { startService } from './support/service.js';

t.test('an operation never answers with a status that the contract does not list under it', async (t) => {
  const yaml = join(t.testdir(), 'plants.yaml');
  const contract = parseDocument(await readFile(contractFile, 'utf8'));
  t.ok(contract.deleteIn(['paths', '/plants', 'post', 'responses', '409']));
  await writeFile(yaml, String(contract));

  const { call, log } = await startService(t, { contractFile: yaml });
  await call('POST', '/plants', { body: '{"id":1,"name":"Ficus"}' });
  const { status, body } = await call('POST', '/plants', { body: '{"id":1,"name":"Fern"}' });
  t.strictSame([status, body], [500, { error: 500, message: 'The server failed to answer this request.' }]);
  t.ok(log().includes('createPlant does not document 409'));
});
