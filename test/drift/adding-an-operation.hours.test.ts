import { join } from 'node:path';
import t from 'tap';
import { apply, copyProject, projectFolder } from '../../packages/kit/index.js';
import { call, makeFolder } from '../../packages/kit/testing.js';
import { operationAdded } from './documented-changes.js';
import { filesThatDiffer, proveAndStart, proveRules } from './prove.js';

/** Follows docs/changing-the-contract.md word by word. */

t.setTimeout(600_000);

t.test('the documented steps for a new operation (YAML and one handler) are enough', async (t) => {
  // The copy lies within the project, because startProgram starts files of the project.
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  for (const edit of operationAdded) await apply(folder, edit);

  await proveRules(t, folder);
  const { address, token } = await proveAndStart(t, folder);
  t.strictSame(await filesThatDiffer(folder, 'src'), ['src/plants/operations.ts']);
  await call(address, 'POST', '/plants', { token, body: '{"id":7,"name":"Fern"}' });
  t.equal((await call(address, 'GET', '/plants/7', { token })).text, '{"name":"Fern"}');
  t.equal((await call(address, 'GET', '/plants/8', { token })).status, 404);
  t.equal((await call(address, 'GET', '/plants/x', { token })).status, 400);
  t.equal((await call(address, 'GET', '/plants/7')).status, 401);
});
