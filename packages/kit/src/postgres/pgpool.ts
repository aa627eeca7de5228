/** Starts pgpool in front of a PostgreSQL, with the settings that docs/postgresql.md asks for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { account, giveToAccount } from '../account.js';
import { startDatabaseProxy } from '../database-proxy.js';
import { makeFolder } from '../folder.js';
import { untilItListens } from '../listens.js';

/** Debian puts pgpool here: version 4.3.5 in Debian 12. */
export const pgpoolProgram = '/usr/sbin/pgpool';

/** The name of the socket; nothing listens on TCP. */
const port = 9999;

/**
 * @param settings instead of those that the page asks for
 * @returns the URL by which the database is reached through it
 * @throws {Error} if it ends before it listens
 */
export async function startPgpool(
  t: Test,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  // pgpool could not enter the folder of the tests' PostgreSQL socket.
  const url = new URL((await startDatabaseProxy(t, databaseUrl)).url);
  const folder = await makeFolder(t);
  const here = {
    backend_clustering_mode: 'streaming_replication',
    backend_flag0: 'DISALLOW_TO_FAILOVER',
    num_init_children: '30',
    backend_hostname0: url.hostname,
    backend_port0: url.port,
    listen_addresses: '',
    port: String(port),
    socket_dir: folder,
    pcp_listen_addresses: '',
    pcp_socket_dir: folder,
    pid_file_name: join(folder, 'pgpool.pid'),
    logdir: folder,
    pool_passwd: '',
    allow_clear_text_frontend_auth: 'on',
    // Until it has asked PostgreSQL whether that is a primary, pgpool is starting up, and ignores what it loses.
    sr_check_user: decodeURIComponent(url.username),
    sr_check_password: decodeURIComponent(url.password),
    sr_check_period: '0',
    ...settings,
  };
  const lines = Object.entries(here).map(([name, value]) => `${name} = '${value}'\n`);
  const [file, pcp] = [join(folder, 'pgpool.conf'), join(folder, 'pcp.conf')];
  await writeFile(file, lines.join(''));
  await writeFile(pcp, '');
  for (const path of [folder, file, pcp]) await giveToAccount(path);
  const child = spawn(pgpoolProgram, ['-n', '-f', file, '-F', pcp], { ...account, stdio: 'ignore' });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // With SIGTERM, pgpool waits for its clients.
    child.kill('SIGINT');
    await once(child, 'exit');
  });
  await untilItListens(child, { path: join(folder, `.s.PGSQL.${port}`) });
  url.host = 'localhost';
  url.searchParams.set('host', folder);
  url.searchParams.set('port', String(port));
  return url.href;
}
