import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../src/project.js';
import { makeFolder } from '../support/process.js';
import { apply, copyProject } from '../support/project-copy.js';
import { example, pathOfExample } from '../support/readme.js';
import { filesThatDiffer, proveAndStart, proveRules } from './prove.js';

/** Follows the README's steps for a new operation word by word. */

t.setTimeout(600_000);

t.test("the README's steps for a new operation (YAML and one handler) are enough", async (t) => {
  // The copy lies within the project, because startProgram starts files of the project.
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  await apply(folder, {
    file: 'openapi/plants.yaml',
    old: pathOfExample,
    next: `${pathOfExample}${example.yaml}`,
  });
  await apply(folder, {
    file: 'src/plants/operations.ts',
    old: '    async deletePlant',
    next: `${example.handler}\n    async deletePlant`,
  });

  await proveRules(t, folder);
  const { address, token } = await proveAndStart(t, folder);
  t.strictSame(await filesThatDiffer(folder, 'src'), ['src/plants/operations.ts']);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  await fetch(`${address}/plants`, { method: 'POST', headers, body: '{"id":7,"name":"Fern"}' });
  const found = await fetch(`${address}/plants/7`, { headers });
  t.strictSame(await found.json(), { name: 'Fern' });
  t.equal((await fetch(`${address}/plants/8`, { headers })).status, 404);
  t.equal((await fetch(`${address}/plants/x`, { headers })).status, 400);
  t.equal((await fetch(`${address}/plants/7`)).status, 401);
});
