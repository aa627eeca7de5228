/** Starts HAProxy with the file that docs/operations recommends, so that the page is tested with it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../../contract-tools/base.js';
import { fixedPorts } from './fixed-ports.js';
import { makeFolder } from './folder.js';
import { untilItListens } from './listens.js';
import { launch } from './programs.js';
import { projectFolder } from './project.js';

/** Debian puts HAProxy here. This folder is not in everybody's PATH. */
export const haproxyProgram = '/usr/sbin/haproxy';

/**
 * Starts HAProxy with docs/operations/haproxy.cfg in front of replicas on this machine.
 *
 * @param ports the ports of the replicas
 * @param checked the ports on which it asks them for `/ready`: the page's ADMIN_PORT, if they have one
 * @returns the id of its process, and the port of 127.0.0.1 on which it listens
 * @throws {Error} if HAProxy ends before it listens, or if the page's file is not as expected
 */
export async function startHaproxy(
  scope: Scope,
  ports: readonly number[],
  checked = ports,
): Promise<{ readonly port: number; readonly pid: number | undefined }> {
  const folder = await makeFolder(scope);
  const [port = 0] = await fixedPorts(1);
  const page = await readFile(join(projectFolder, 'docs', 'operations', 'haproxy.cfg'), 'utf8');
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, configurationFor(page, port, ports, checked));
  const child = launch(scope, haproxyProgram, ['-q', '-db', '-f', file]);
  await untilItListens(child, { host: '127.0.0.1', port });
  return { port, pid: child.pid };
}

function configurationFor(
  page: string,
  own: number,
  ports: readonly number[],
  checked: readonly number[],
): string {
  const servers = ports.map((port, at) => `  server replica${at} 127.0.0.1:${port} port ${checked[at]}`);
  const changed = page
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${own}`)
    .replace(/^ {2}server-template .*$/m, servers.join('\n'));
  if (!changed.includes(`127.0.0.1:${own}`) || changed.includes('server-template'))
    throw new Error('docs/operations/haproxy.cfg has no "bind", or no "server-template".');
  return changed;
}
