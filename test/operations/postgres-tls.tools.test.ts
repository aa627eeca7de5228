import { chmod, chown, copyFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { fixedPorts, projectFolder } from '../../packages/kit/index.js';
import { createDebianPostgres, runAsAccount, withoutDebianPostgres } from '../../packages/kit/postgres.js';
import { launchServer, makeFolder, missing, spawnServer, until } from '../../packages/kit/testing.js';
import { certify } from './authority.js';

const skip = withoutDebianPostgres || missing('openssl');

/** The rows of the table below "TLS to PostgreSQL". */
async function readModes() {
  const page = await readFile(join(projectFolder, 'docs', 'operations', 'proxies.md'), 'utf8');
  const rows = page.matchAll(
    /^\| (?:`(?<mode>[a-z-]+)`|none.*) \| (?<encrypted>yes|no) \| (?<checked>yes|no) \|$/gm,
  );
  return Array.from(rows, ({ groups = {} }) => ({
    mode: groups['mode'] === undefined ? '' : `sslmode=${groups['mode']}`,
    encrypted: groups['encrypted'] === 'yes',
    checked: groups['checked'] === 'yes',
  }));
}

async function isEncrypted(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ ssl: boolean }>(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    );
    return rows[0]?.ssl === true;
  } finally {
    await client.end();
  }
}

t.test('TLS to PostgreSQL, as docs/operations/proxies.md has it', { skip }, async (t) => {
  const { authority, certificate, key } = certify(await makeFolder(t), 'localhost');
  const [port = 0] = await fixedPorts(1);
  const tls = ['ssl = on', "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'"];
  const settings = ["listen_addresses = '127.0.0.1'", ...tls];
  const cluster = await createDebianPostgres(t, { port, settings });
  const { uid, gid } = await stat(cluster.data);
  for (const [from, name] of [
    [certificate, 'server.crt'],
    [key, 'server.key'],
  ] as const) {
    await copyFile(from, join(cluster.data, name));
    await chmod(join(cluster.data, name), 0o600);
    await chown(join(cluster.data, name), uid, gid);
  }
  await cluster.start();
  const urlOf = (host: string, ...parameters: string[]) =>
    `postgresql://plants@${host}:${port}/postgres?${parameters.filter((text) => text !== '').join('&')}`;
  const root = `sslrootcert=${encodeURIComponent(authority)}`;

  const modes = await readModes();
  t.equal(modes.length, 7);
  for (const { mode, encrypted, checked } of modes) {
    const own = mode === '' ? '' : root;
    t.equal(await isEncrypted(urlOf('localhost', mode, own)), encrypted, `${mode} is encrypted`);
    for (const [what, url] of [
      ['the name', urlOf('127.0.0.1', mode, own)],
      ['the authority', urlOf('localhost', mode)],
    ] as const) {
      if (checked)
        await t.rejects(isEncrypted(url), { code: /CERT|SELF_SIGNED|UNABLE_TO/ }, `${mode} checks ${what}`);
      else await t.resolves(isEncrypted(url), `${mode} does not check ${what}`);
    }
  }

  const DATABASE_URL = urlOf('localhost', 'sslmode=verify-full', root);
  const server = await spawnServer(t, { DATABASE_URL });
  t.equal((await server.call('GET', '/ready')).status, 200);
  t.notMatch(server.stderr(), 'warning', 'nothing is warned of');
  const unknown = launchServer(t, { DATABASE_URL: urlOf('localhost', 'sslmode=verify-full') });
  t.equal(await unknown.ended, 1);
  t.match(unknown.stderr(), 'certificate');
  const psql = (url: string) => runAsAccount(cluster.folder, ['psql', url, '--command=SELECT 1']);
  const readable = join(cluster.folder, 'ca.crt');
  await copyFile(authority, readable);
  await chmod(readable, 0o644);
  await t.resolves(psql(urlOf('localhost', 'sslmode=verify-full', `sslrootcert=${readable}`)));
  await t.rejects(psql(urlOf('localhost', 'sslmode=no-verify')), { message: /invalid sslmode value/ });

  await runAsAccount(cluster.folder, ['psql', cluster.url(), '--command=ALTER SYSTEM SET ssl = off']);
  await runAsAccount(cluster.folder, ['psql', cluster.url(), '--command=SELECT pg_reload_conf()']);
  await until('there is no TLS', () =>
    isEncrypted(DATABASE_URL).then(
      () => false,
      () => true,
    ),
  );
  const plain = launchServer(t, { DATABASE_URL });
  t.equal(await plain.ended, 1);
  t.match(plain.stderr(), 'The server does not support SSL connections');
});
