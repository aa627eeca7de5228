/**
 * Shows that each alert of docs/operations/alerts.yml fires, in two steps. promtool runs the rules on the
 * series of alerts.test.yml. A real service, to which each cause happens, prints those very series. So a rule
 * that asks for a metric or a label that the service does not have fails in one step or in the other.
 */
import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { projectFolder } from '../../packages/kit/index.js';
import { lockPlants } from '../../packages/kit/postgres.js';
import { docsBlock, makeFolder, missing, spawnServer, until } from '../../packages/kit/testing.js';
import { Database, TokenStore } from '../../packages/service/layer.js';
import { newPlantText } from '../../packages/service/test/support/plants.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface RuleTests {
  readonly tests: readonly {
    readonly input_series: readonly { readonly series: string }[];
    readonly promql_expr_test: readonly { readonly exp_samples: readonly { readonly labels: string }[] }[];
  }[];
}

interface Configuration {
  readonly scrape_configs: readonly { readonly job_name: string }[];
}

const run = promisify(execFile);
const withoutPromtool = missing('promtool');
const operations = join(projectFolder, 'docs', 'operations');
const fileOf = (name: string) => join(operations, name);
const rules: Rules = parse(await readFile(fileOf('alerts.yml'), 'utf8'));
const { tests }: RuleTests = parse(await readFile(fileOf('alerts.test.yml'), 'utf8'));
const configuration = await docsBlock('operations/README.md', 'Prometheus', 'yaml');

const alerts = rules.groups.flatMap((group) => group.rules);
const series = [...new Set(tests.flatMap(({ input_series }) => input_series.map((input) => input.series)))];

t.test(
  'promtool has nothing to say against the rules and the configuration',
  {
    skip: withoutPromtool,
  },
  async (t) => {
    const folder = await makeFolder(t);
    await copyFile(fileOf('alerts.yml'), join(folder, 'alerts.yml'));
    await writeFile(join(folder, 'prometheus.yml'), configuration);
    await t.resolves(run('promtool', ['check', 'config', join(folder, 'prometheus.yml')]));
  },
);

t.test('each alert fires at its series, and ends with them', { skip: withoutPromtool }, async (t) => {
  await t.resolves(run('promtool', ['test', 'rules', fileOf('alerts.test.yml')]));
});

t.test('alerts.test.yml expects each alert to fire', async (t) => {
  const samples = tests.flatMap(({ promql_expr_test }) => promql_expr_test.flatMap((one) => one.exp_samples));
  const expected = new Set(samples.flatMap(({ labels }) => /alertname="\w+"/.exec(labels)?.[0] ?? []));
  t.strictSame([...expected].sort(), alerts.map(({ alert }) => `alertname="${alert}"`).sort());
});

t.test('each metric of the rules is in alerts.test.yml', async (t) => {
  const names = new Set(series.map((text) => parseSeries(text).name));
  for (const { alert, expr } of alerts)
    for (const [name] of expr.matchAll(/\b[a-z]+_\w+\b(?!\()/g)) t.ok(names.has(name), `${alert}: ${name}`);
});

t.test('each series of alerts.test.yml is one of a real service', async (t) => {
  const printed = new Set((await causeAll(t)).map(({ name, labels }) => `${name} ${labels.join()}`));
  const { scrape_configs } = parse(configuration) as Configuration;
  const jobs = scrape_configs.map(({ job_name }) => `job="${job_name}"`);
  for (const text of series) {
    const { name, labels } = parseSeries(text);
    // Prometheus adds these two labels, and a metric that says whether it has reached the service.
    const own = labels.filter((label) => !label.startsWith('instance=') && !jobs.includes(label));
    t.ok(name === 'up' ? own.length === 0 : printed.has(`${name} ${own.join()}`), text);
  }
});

interface Series {
  readonly name: string;
  /** In order, each as `name="value"`. */
  readonly labels: readonly string[];
}

/** Reads the name and the labels, with which a line of the metrics begins, too. */
function parseSeries(text: string): Series {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?/.exec(text) ?? [];
  return { name, labels: (labels.match(/\w+="[^"]*"/g) ?? []).sort() };
}

/** Starts a service, has it succeed, fail and refuse, and returns the series that it then prints. */
async function causeAll(t: Test): Promise<Series[]> {
  const DATABASE_URL = await makeDatabase(t);
  // Of four requests in flight, an owner gets two. /dev/full refuses every line of the log.
  const environment = { DATABASE_URL, ADMIN_PORT: '0', MAX_REQUESTS_IN_FLIGHT: '4' };
  const server = await spawnServer(t, environment, { stdoutFile: '/dev/full' });
  const [, admin] = /\n {2}admin {2}(http:\S+)\/metrics\n/.exec(server.stderr()) ?? [];
  const metrics = async () => (await fetch(`${admin}/metrics`)).text();
  const { ann, ben, cleo } = await issueTokens(DATABASE_URL);
  let id = 0;
  const create = async (token: string) =>
    (await server.call('POST', '/plants', { token, body: newPlantText({ id: ++id, name: 'Ficus' }) })).status;

  t.equal(await create(ann), 200);
  t.equal((await server.call('GET', '/plants', { token: ann })).status, 200);
  t.equal(await create('wrong'), 401);
  await until('the log fails', async () => (await metrics()).includes('\nplant_store_log_failing 1\n'));

  const unlock = await lockPlants(DATABASE_URL);
  const refused = async (reason: string) => (await metrics()).includes(`{reason="overload: ${reason}"}`);
  const ofAnn = [create(ann), create(ann), create(ann)];
  await until('ann has too many in flight', () => refused('owner requests in flight'));
  const ofOthers = [create(ben), create(cleo)];
  await until('all together have too many', async () => {
    t.equal(await create(ann), 503);
    return refused('requests in flight');
  });
  await unlock();
  t.strictSame((await Promise.all(ofAnn)).sort(), [200, 200, 503]);
  t.strictSame(await Promise.all(ofOthers), [200, 200]);

  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE division_by_zero; END'`,
  );
  await client.query('CREATE TRIGGER fail BEFORE INSERT ON plants EXECUTE FUNCTION fail()');
  t.equal(await create(ann), 500);
  await client.query('ALTER TABLE plants RENAME TO gone');
  await client.end();
  await until('/ready fails', async () => (await server.call('GET', '/ready')).status === 503);
  const lines = (await metrics()).split('\n');
  t.ok(lines.includes('plant_store_ready 0'));
  return lines.map(parseSeries);
}

async function issueTokens(databaseUrl: string) {
  const database = new Database(databaseUrl, () => {});
  const store = new TokenStore(database);
  const [ann, ben, cleo] = [await store.issue('ann'), await store.issue('ben'), await store.issue('cleo')];
  await database.close();
  return { ann, ben, cleo };
}
