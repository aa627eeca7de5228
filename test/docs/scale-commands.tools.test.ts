/** Runs the commands of docs/scale.md and docs/scale/ as written, but for hosts, ports and durations. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Cleanup, projectFolder } from '../../packages/kit/index.js';
import { PatroniCluster, withoutPatroni } from '../../packages/kit/postgres.js';
import { call, commandsOfScale, follow, makeFolder, until } from '../../packages/kit/testing.js';
import { Database, TokenStore } from '../../packages/service/layer.js';

t.setTimeout(1_200_000);

/** Commands that this machine cannot run, and what they need. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^docker compose /, 'a container engine'],
  [/^kubectl /, 'a cluster'],
  [/^npm test -- .*failover\.tools\.test\.ts$/, 'minutes; test:all runs the same file'],
];

const left = await commandsOfScale();

/** The commands that match, each of which is taken once. */
function take(pattern: RegExp): string[] {
  const found = left.filter(({ text }) => pattern.test(text));
  if (found.length === 0) throw new Error(`No command in docs/scale.md and docs/scale/ matches ${pattern}.`);
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
  const services = take(/^DATABASE_URL=\S+ npm start$/);
  const checks = take(/ npm run check:contract -- /);
  for (const command of services) {
    const service = follow(t, here(command), { PORT: '0', DRAIN_SECONDS: '0' });
    const address = await until(command, () => /ready at (http:\S+)/.exec(service.output())?.[1]);
    const token = await issueToken(DATABASE_URL);
    t.equal((await call(address, 'GET', '/plants?limit=1', { token })).status, 200, command);
    for (const check of checks.splice(0))
      await passes(t, check.replace('plant_…', token).replace('http://127.0.0.1:3000', address));
    await service.stop();
  }

  const programs = await makeFolder(t);
  const program = join(projectFolder, 'dist', 'src', 'main.js');
  await writeFile(join(programs, 'plant-store'), `#!/bin/sh\nexec node ${program} "$@"\n`, { mode: 0o755 });
  const PATH = `${programs}:${process.env['PATH']}`;
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

t.test('no command is left', { skip: withoutPatroni }, async (t) => {
  t.strictSame(left, []);
});

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
