import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../src/project.js';
import { makeFolder, postgresProcesses } from '../support/process.js';
import { killPostgres, spawnServer } from '../support/server.js';
import { notRoot } from '../support/tools.js';

// An ordinary user must be able to read the project, and to run this Node.js.
const closed = (await closedFolderOf(projectFolder)) ?? (await closedFolderOf(join(process.execPath, '..')));
const skip = notRoot || (closed !== undefined && `${closed} is closed to ordinary users`);

t.test('as an ordinary user it works alike', { skip }, async (t) => {
  const folder = await makeFolder(t);
  await chmod(folder, 0o755);
  const home = join(folder, 'home');
  const user = { uid: 65534, gid: 65534 };
  await mkdir(home, { mode: 0o700 });
  await chown(home, user.uid, user.gid);
  const data = join(home, 'data');
  t.teardown(() => killPostgres(data));
  const server = await spawnServer(t, { DATA_DIR: data }, user);
  t.equal((await server.call('POST', '/plants', { body: { id: 1, name: 'one' } })).status, 200);
  t.equal((await stat(data)).uid, user.uid);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.strictSame(await postgresProcesses(data), []);

  t.test('and what it made, root starts as the same user', async (t) => {
    const server = await spawnServer(t, { DATA_DIR: data });
    const [postgres] = await postgresProcesses(data);
    t.equal((await stat(`/proc/${postgres}`)).uid, user.uid);
    t.equal((await server.call('GET', '/ready')).status, 200);
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
  });
});

/** The first folder above that is not open to everybody. */
async function closedFolderOf(folder: string): Promise<string | undefined> {
  if (((await stat(folder)).mode & 0o5) !== 0o5) return folder;
  return folder === '/' ? undefined : closedFolderOf(join(folder, '..'));
}
