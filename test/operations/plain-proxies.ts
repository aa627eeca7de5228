/**
 * Starts each of Debian's proxies in front of one replica: as somebody begins who has read the first page of its
 * manual, or with the lines of docs/operations/other-proxies.md.
 */
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { fixedPorts, launch, untilItListens } from '../../packages/kit/index.js';
import { docsBlock, makeFolder, notRoot } from '../../packages/kit/testing.js';

/** Where a proxy keeps its files, listens, and finds the replica. */
interface Site {
  readonly folder: string;
  readonly port: number;
  readonly replica: number;
}

export interface PlainProxy {
  readonly name: string;
  readonly program: string;
  /** The language of its block in the page, if it has one there. */
  readonly language?: string;
  /** The lines that say where the replica is, as its manual begins. */
  plain(replica: number): string;
  /** Puts these lines into a whole file. */
  file(site: Site, lines: string): string;
  command(site: Site, file: string): readonly string[];
}

/** @returns why it cannot be tried, or false */
export const missingProxy = ({ name, program }: PlainProxy): string | false =>
  !existsSync(program) && `${name} is not installed`;

const apacheModules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'];

export const plainProxies: readonly PlainProxy[] = [
  {
    name: 'HAProxy',
    program: '/usr/sbin/haproxy',
    plain: (replica) => `backend plants\n  server one 127.0.0.1:${replica}`,
    file: ({ port }, lines) =>
      `defaults\n  mode http\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s
frontend clients\n  bind 127.0.0.1:${port}\n  default_backend plants\n${lines}\n`,
    command: (_, file) => ['-q', '-db', '-f', file],
  },
  {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    language: 'nginx',
    plain: (replica) => `server {
  listen 127.0.0.1:8080;
  location / { proxy_pass http://127.0.0.1:${replica}; }
}`,
    file: ({ folder, port }, lines) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      );
      const user = notRoot ? '' : 'user root;';
      return `daemon off; ${user} pid ${folder}/pid; error_log ${folder}/log warn; events {}
http {
  access_log off;
  ${temporary.join(' ')}
  ${lines.replace('127.0.0.1:8080', `127.0.0.1:${port}`)}
}`;
    },
    command: (_, file) => ['-c', file],
  },
  {
    name: 'Apache',
    program: '/usr/sbin/apache2',
    language: 'apache',
    plain: (replica) => `ProxyPass / http://127.0.0.1:${replica}/`,
    // One process, so that the next request meets the connection that this one has kept.
    file: ({ folder, port }, lines) => `ServerRoot ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/log
ServerName plants.example
Listen 127.0.0.1:${port}
${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
User www-data
Group www-data
ServerLimit 1
StartServers 1
ThreadsPerChild 25
MaxRequestWorkers 25
${lines}
`,
    command: (_, file) => ['-D', 'FOREGROUND', '-f', file],
  },
  {
    name: 'Caddy',
    program: '/usr/bin/caddy',
    plain: (replica) => `reverse_proxy 127.0.0.1:${replica}`,
    file: ({ folder, port }, lines) => `{
  admin off
  auto_https off
  storage file_system ${folder}
}
http://:${port} {
  bind 127.0.0.1
  ${lines}
}
`,
    command: (_, file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    name: 'Varnish',
    program: '/usr/sbin/varnishd',
    language: 'vcl',
    plain: (replica) => `backend default { .host = "127.0.0.1"; .port = "${replica}"; }`,
    file: (_, lines) => `vcl 4.1;\n${lines}\n`,
    command: ({ folder, port }, file) => ['-F', '-n', folder, '-a', `127.0.0.1:${port}`, '-f', file],
  },
  {
    name: 'squid',
    program: '/usr/sbin/squid',
    language: 'squid',
    plain: (replica) => `cache_peer 127.0.0.1 parent ${replica} 0 no-query originserver`,
    file: ({ folder, port }, lines) => `http_port 127.0.0.1:${port} accel defaultsite=plants.example
http_access allow all
pid_filename ${folder}/pid
access_log none
cache_log ${folder}/log
coredump_dir ${folder}
shutdown_lifetime 0 seconds
${lines}
`,
    command: (_, file) => ['-N', '-f', file],
  },
  {
    name: 'lighttpd',
    program: '/usr/sbin/lighttpd',
    language: 'lighttpd',
    plain: (replica) => `proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${replica})))`,
    file: ({ folder, port }, lines) => `server.document-root = "${folder}"
server.bind = "127.0.0.1"
server.port = ${port}
server.modules = ("mod_proxy")
server.errorlog = "${folder}/log"
server.upload-dirs = ("${folder}")
${lines}
`,
    command: (_, file) => ['-D', '-f', file],
  },
];

/**
 * Starts a proxy in front of a replica.
 *
 * @param lines those of `plain`, or of the page, with the replica at 127.0.0.1:3001
 * @returns its port
 */
export async function startPlainProxy(
  t: Test,
  proxy: PlainProxy,
  lines: string,
  replica: number,
): Promise<number> {
  const folder = await makeFolder(t);
  // Some of them give up the rights of root, and then read and write there.
  await chmod(folder, 0o777);
  const [port = 0] = await fixedPorts(1);
  const site = { folder, port, replica };
  const file = join(folder, 'configuration');
  await writeFile(file, proxy.file(site, lines.replaceAll('3001', String(replica))));
  const child = launch(t, proxy.program, proxy.command(site, file));
  await untilItListens(child, { host: '127.0.0.1', port });
  return port;
}

/** @returns the lines of the page; undefined if the page has none for this proxy */
export async function pageLines({ name, language }: PlainProxy): Promise<string | undefined> {
  return language === undefined ? undefined : await docsBlock('operations/other-proxies.md', name, language);
}
