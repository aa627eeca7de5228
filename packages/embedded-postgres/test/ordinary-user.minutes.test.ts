import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../kit/index.js';
import {
  issueToken,
  killPostgres,
  makeFolder,
  notRoot,
  postgresProcesses,
  spawnServer,
} from '../../kit/testing.js';
import { newPlantText } from '../../service/test/support/plants.js';

// The test needs a project folder and a Node.js that ordinary users can read.
const closed = (await closedFolderOf(projectFolder)) ?? (await closedFolderOf(join(process.execPath, '..')));
const skip = notRoot || (closed !== undefined && `${closed} is closed to ordinary users`);

t.test('the embedded PostgreSQL works for an ordinary user', { skip }, async (t) => {
  const folder = await makeFolder(t);
  await chmod(folder, 0o755);
  const home = join(folder, 'home');
  const user = { uid: 65534, gid: 65534 };
  await mkdir(home, { mode: 0o700 });
  await chown(home, user.uid, user.gid);
  const data = join(home, 'data');
  t.teardown(() => killPostgres(data));
  const server = await spawnServer(t, { DATA_DIR: data }, user);
  const token = await issueToken(t, data, user);
  t.equal(
    (await server.call('POST', '/plants', { token, body: newPlantText({ id: 1, name: 'one' }) })).status,
    200,
  );
  t.equal((await stat(data)).uid, user.uid);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.strictSame(await postgresProcesses(data), []);

  t.test('root starts an embedded PostgreSQL that an ordinary user made as that user', async (t) => {
    const server = await spawnServer(t, { DATA_DIR: data });
    const [postgres] = await postgresProcesses(data);
    t.equal((await stat(`/proc/${postgres}`)).uid, user.uid);
    t.equal((await server.call('GET', '/ready')).status, 200);
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
  });
});

/** The folder itself, or the first one above it, that is not open to everybody. */
async function closedFolderOf(folder: string): Promise<string | undefined> {
  if (((await stat(folder)).mode & 0o5) !== 0o5) return folder;
  return folder === '/' ? undefined : closedFolderOf(join(folder, '..'));
}
