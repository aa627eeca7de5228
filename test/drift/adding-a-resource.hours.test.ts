import { join } from 'node:path';
import t from 'tap';
import { apply, copyProject } from '../../scripts/kit/project-copy.js';
import { projectFolder } from '../../src/project.js';
import { call } from '../support/call.js';
import { makeFolder } from '../support/process.js';
import { addingPots } from './pots.js';
import { filesThatDiffer, proveAndStart, proveRules } from './prove.js';

/** Follows the README's steps for a second resource. */

t.setTimeout(600_000);

t.test("the README's steps for a second resource (folder and src/parts.ts) are enough", async (t) => {
  const folder = await makeFolder(t, join(projectFolder, '.tap'));
  await copyProject(folder);
  for (const edit of addingPots) await apply(folder, edit);
  await proveRules(t, folder);
  const { address, token } = await proveAndStart(t, folder);
  t.strictSame(await filesThatDiffer(folder, 'src'), [
    'src/parts.ts',
    'src/pots/migrations/0004-pots.sql',
    'src/pots/operations.ts',
  ]);
  t.match(await call(address, 'GET', '/pots', { token }), { status: 200, text: '[]' });
});
