import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { fixedPorts, launch, untilItListens } from '../../packages/kit/index.js';
import { docsBlock, makeFolder, missing, notRoot } from '../../packages/kit/testing.js';
import { type Certificate, certify } from './authority.js';

const run = promisify(execFile);
export const hostName = 'plants.example';

export interface Proxy {
  readonly name: string;
  readonly program: string;
  /** Makes its configuration file. @returns its command line */
  configure(folder: string, block: string, certificate: Certificate): Promise<string[]>;
  /** Parameters that only check the configuration. */
  readonly check: readonly string[];
}

/** @returns why its tests are skipped, or false */
export const missingFor = ({ name, program }: Proxy): string | false =>
  existsSync(program) ? missing('openssl') : `${name} is not installed`;

export const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    check: ['-t'],
    async configure(folder, block, { certificate, key }) {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join('\n');
      const server = block.replace('/etc/ssl/plants.crt', certificate).replace('/etc/ssl/plants.key', key);
      const user = notRoot ? '' : 'user root;';
      await writeFile(
        join(folder, 'nginx.conf'),
        `daemon off; ${user} pid ${folder}/pid; error_log ${folder}/log warn; events {}
         http { access_log off; ${temporary}\n${server} }`,
      );
      return ['-c', join(folder, 'nginx.conf')];
    },
  },
  {
    name: 'HAProxy',
    program: '/usr/sbin/haproxy',
    check: ['-c'],
    async configure(folder, block, { both }) {
      await writeFile(join(folder, 'haproxy.cfg'), block.replace('/etc/haproxy/plants.pem', both));
      return ['-q', '-db', '-f', join(folder, 'haproxy.cfg')];
    },
  },
];

/**
 * Starts the proxy as its block in docs/operations/proxies.md says.
 *
 * @param adminPorts where HAProxy asks whether the replicas are ready
 * @param inHaste a tenth of its times, but for the shortest ones
 */
export async function startProxy(
  t: Test,
  proxy: Proxy,
  replicas: readonly [number, number],
  adminPorts: readonly [number, number],
  inHaste = false,
): Promise<{ readonly port: number; readonly authority: string; readonly log: string }> {
  const folder = await makeFolder(t);
  const certificate = certify(folder, hostName);
  const [port = 0] = await fixedPorts(1);
  const block = await docsBlock('operations/proxies.md', proxy.name, proxy.name.toLowerCase());
  const elsewhere = block
    .replaceAll('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('bind :443 ', `bind 127.0.0.1:${port} `)
    .replace('127.0.0.1:3001', `127.0.0.1:${replicas[0]}`)
    .replace('127.0.0.1:3002', `127.0.0.1:${replicas[1]}`)
    .replace('port 9001', `port ${adminPorts[0]}`)
    .replace('port 9002', `port ${adminPorts[1]}`)
    .replaceAll(/\b(\d+)0s\b/g, (time, tens) => (inHaste ? `${tens}s` : time));
  const parameters = await proxy.configure(folder, elsewhere, certificate);
  await t.resolves(run(proxy.program, [...parameters, ...proxy.check]), 'its configuration is valid');
  const child = launch(t, proxy.program, parameters);
  await untilItListens(child, { host: '127.0.0.1', port });
  return { port, authority: certificate.authority, log: join(folder, 'log') };
}
