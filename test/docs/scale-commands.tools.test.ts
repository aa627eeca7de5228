/**
 * Runs the commands of docs/postgresql.md, docs/operations/install.md and docs/scale/ as written, but for hosts, ports, files and
 * durations.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Cleanup, compile, projectFolder } from '../../packages/kit/index.js';
import {
  createDebianPostgres,
  PatroniCluster,
  runAsAccount,
  withoutDebianPostgres,
  withoutPatroni,
} from '../../packages/kit/postgres.js';
import {
  call,
  commandsForOperators,
  docsBlock,
  follow,
  makeFolder,
  missing,
  until,
} from '../../packages/kit/testing.js';
import { Database, TokenStore } from '../../packages/service/layer.js';

t.setTimeout(1_200_000);

/** Commands that this machine cannot run, and what they need. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^docker compose |^export POSTGRES_PASSWORD=/, 'a container engine'],
  [/^kubectl /, 'a cluster'],
  [/^(?:useradd|npm install --prefix|ln|install|cp|export PATH=\S+|systemctl)\b/, 'root and systemd'],
  [/^psql .*replicator|^sed |^patroni patroni\.yml$/, 'an existing PostgreSQL of Debian'],
  [/^npm test -- .*failover\.tools\.test\.ts$/, 'minutes; test:all runs the same file'],
];

const left = await commandsForOperators();

/** The commands that match, each of which is taken once. */
function take(pattern: RegExp): string[] {
  const found = left.filter(({ text }) => pattern.test(text));
  if (found.length === 0) throw new Error(`No command of the pages matches ${pattern}.`);
  for (const one of found) left.splice(left.indexOf(one), 1);
  return found.map(({ text }) => text);
}

async function passes(t: Test, command: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const { ended, output } = follow(t, command, environment);
  if (!t.equal(await ended, 0, command)) t.comment(output());
  return output();
}

t.test('what needs other machines is named', async (t) => {
  for (const [pattern, need] of elsewhere) t.comment(`${take(pattern).join('\n')}: needs ${need}`);
});

t.test('commands that need nothing else pass', async (t) => {
  for (const command of take(/^npm run survive -- --replicas 2$/)) await passes(t, `${command} --seconds 5`);
});

t.test('the options of citus are known, and it says that the sources are missing', async (t) => {
  for (const command of take(/^npm run citus -- \w+ --sources FOLDER/)) {
    // A Citus that was built before would be started.
    const here = `FOLDER --build ${await makeFolder(t)}`;
    const { ended, output } = follow(t, command.replace('FOLDER', here));
    t.equal(await ended, 2, command);
    t.match(output(), /There are no sources of Citus in .*FOLDER\./, command);
  }
});

t.test('Debian has the packages of failover.md', { skip: withoutPatroni }, async (t) => {
  for (const command of take(/^apt-get install /)) await passes(t, `${command} --simulate`);
});

t.test('failover.md can be followed', { skip: withoutPatroni }, async (t) => {
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  const cluster = await PatroniCluster.start(cleanup);
  const { host: leader } = new URL(cluster.url);
  const here = (command: string) => command.replaceAll(/127\.0\.0\.1:5000|(?<=@)leader(?=\/)/g, leader);
  await until('HAProxy has the leader', () => isReachable(cluster.url));
  for (const command of take(/^psql .*CREATE ROLE plants/)) await passes(t, here(command));

  const DATABASE_URL = `postgresql://plants:secret@${leader}/plants`;
  const { PATH } = await install(t);
  const [start = ''] = take(/^DATABASE_URL=\S+ plant-store$/);
  const service = await serve(t, here(start), { PATH });
  const token = await issueToken(DATABASE_URL);
  t.equal((await call(service.address, 'GET', '/plants?limit=1', { token })).status, 200, start);
  for (const check of take(/ npm run check:contract -- /))
    await passes(t, check.replace('plant_…', token).replace('http://127.0.0.1:3000', service.address));
  await service.stop();

  for (const command of take(/^BREAKING_MIGRATIONS=apply plant-store migrate$/))
    await passes(t, command, { DATABASE_URL, PATH });

  const before = await cluster.leader();
  const [listing = '', switchover = ''] = take(/^patronictl -c patroni\.yml /);
  const listed = await passes(t, listing.replace('patroni.yml', before.configuration));
  const [, standby = ''] = /\| (\w+) .* Sync Standby /.exec(listed) ?? [];
  const names = switchover.replace('--master one', `--master ${before.name}`);
  await passes(
    t,
    names.replace('--candidate two', `--candidate ${standby}`).replace('patroni.yml', before.configuration),
  );
  t.equal((await cluster.leaderAfter(before)).name, standby);
});

t.test('postgresql.md and install.md can be followed', { skip: withoutDebianPostgres }, async (t) => {
  const cluster = await createDebianPostgres(t);
  await cluster.start();
  const superuser = cluster.url().replace('plants@', 'postgres@');
  const asAccount = (script: string) =>
    runAsAccount(cluster.folder, ['bash', '--norc', '-euo', 'pipefail', '-c', script]);
  const run = (url: string, sql: string) =>
    asAccount(`psql '${url}' --set=ON_ERROR_STOP=1 <<'END'\n${sql}END`);
  // The superuser of these clusters has the name of the page's second account. From here on, passwords count.
  await run(cluster.url(), 'CREATE ROLE postgres SUPERUSER LOGIN;\n');
  await run(superuser, 'ALTER ROLE plants RENAME TO maker;\n');
  const access = 'local all postgres trust\nlocal all all scram-sha-256\n';
  await writeFile(join(cluster.data, 'pg_hba.conf'), access);
  await run(superuser, 'SELECT pg_reload_conf();\n');

  const { folder, program, PATH } = await install(t);
  const [database = ''] = /@.*$/.exec(cluster.url('plants')) ?? [];
  const here = (command: string) =>
    command.replaceAll('@localhost/plants', database).replace(' --file=', ` --file=${folder}/`);
  await run(superuser, await docsBlock('postgresql.md', 'Accounts', 'sql'));
  const migrations = take(/^DATABASE_URL=\S+ plant-store migrate$/);
  const [owner] = /postgresql:\S+/.exec(here(migrations[0] ?? '')) ?? [''];
  await passes(t, quoted(here(migrations[0] ?? '')), { PATH });
  await run(owner, await docsBlock('postgresql.md', 'Accounts', 'sql', 2));

  const [setting = ''] = take(/^echo 'DATABASE_URL=/);
  const [, DATABASE_URL] = /DATABASE_URL=([^']+)/.exec(here(setting)) ?? [];
  const service = await serve(t, 'plant-store', { DATABASE_URL, PATH });
  const [issue = ''] = take(/ plant-store token issue alice$/);
  const token = (await passes(t, quoted(here(issue)), { PATH })).trim();
  const list = async () => (await call(service.address, 'GET', '/plants', { token })).status;
  t.equal(await list(), 200);

  for (const command of [
    ...take(/^pg_dump /),
    ...take(/^DATABASE_URL=\S+ plant-store check$/),
    ...migrations,
  ])
    await passes(t, quoted(here(command)), { PATH });
  t.equal(await list(), 200, 'it serves on');

  await t.test('systemd takes the unit', { skip: missing('systemd-analyze') }, async (t) => {
    const unit = await readFile(join(projectFolder, 'docs', 'operations', 'plant-store@.service'), 'utf8');
    const file = join(folder, 'plant-store@3001.service');
    await writeFile(file, unit.replaceAll('/opt/plant-store/current/node_modules/.bin/plant-store', program));
    await passes(t, `systemd-analyze verify ${file}`);
    const [, wait = ''] = /^ExecStartPost=\/bin\/sh -c '(.*)'$/m.exec(await readFile(file, 'utf8')) ?? [];
    const { port: PORT } = new URL(service.address);
    await passes(t, wait, { PORT, MAINPID: String(process.pid) });
    await service.stop();
    const { ended } = follow(t, wait, { PORT, MAINPID: String(2 ** 22) });
    t.equal(await ended, 1, 'it does not wait for a process that has ended');
  });
});

t.test('no command is left', { skip: withoutPatroni || withoutDebianPostgres }, async (t) => {
  t.strictSame(left, []);
});

/** Puts the program `plant-store` into a folder of its own, as npm does. */
async function install(t: Test): Promise<{ folder: string; program: string; PATH: string }> {
  const cleanup = new Cleanup();
  t.teardown(() => cleanup.run());
  await compile(cleanup);
  const folder = await makeFolder(t);
  const program = join(folder, 'plant-store');
  const main = join(projectFolder, 'dist', 'src', 'main.js');
  await writeFile(program, `#!/bin/sh\nexec node ${main} "$@"\n`, { mode: 0o755 });
  return { folder, program, PATH: `${folder}:${process.env['PATH']}` };
}

/** Starts a command that serves, on a free port, and waits until it is ready. */
async function serve(t: Test, command: string, environment: NodeJS.ProcessEnv) {
  const service = follow(t, command, { PORT: '0', DRAIN_SECONDS: '0', ...environment });
  const address = await until(command, () => /ready at (http:\S+)/.exec(service.output())?.[1]);
  return { address, stop: service.stop };
}

/** A URL that names a socket has an &, which the shell would take for itself. */
function quoted(command: string): string {
  return command.replace(/postgresql:\S+/, "'$&'");
}

async function isReachable(url: string): Promise<boolean> {
  const database = new Database(url, () => {});
  const answer = database.query({ text: 'SELECT' });
  return answer
    .then(
      () => true,
      () => false,
    )
    .finally(() => database.close());
}

async function issueToken(url: string): Promise<string> {
  const database = new Database(url, () => {});
  return new TokenStore(database).issue('owner').finally(() => database.close());
}
