import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { Service } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import pg from 'pg';
import t from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { compilerFile, haproxyProgram, projectFolder } from '../../packages/kit/index.js';
import { makeFolder, missing, runNode } from '../../packages/kit/testing.js';
import { migrate, readSettings } from '../../packages/service/layer.js';
import { startOwnPostgres } from '../../packages/service/test/support/postgres/own-postgres.js';
import { plantStore } from '../../src/plant-store.js';

const run = promisify(execFile);
const folder = join(projectFolder, 'docs', 'operations');

t.test(
  'docs/operations/haproxy.cfg is valid',
  { skip: !existsSync(haproxyProgram) && 'haproxy is not installed' },
  (t) => t.resolves(run(haproxyProgram, ['-c', '-f', join(folder, 'haproxy.cfg')])),
);

t.test(
  'docker-compose.scale.yml is valid, and HAProxy finds its replicas by their name',
  { skip: missing('docker-compose') },
  async (t) => {
    const file = join(folder, 'docker-compose.scale.yml');
    const configure = (environment: NodeJS.ProcessEnv) =>
      run('docker-compose', ['--file', file, 'config'], { env: { ...process.env, ...environment } });
    await t.rejects(configure({ POSTGRES_PASSWORD: '' }), /POSTGRES_PASSWORD/);
    const { stdout } = await configure({ POSTGRES_PASSWORD: 'chosen' });
    t.match(stdout, /^ {2}plants:$/m);
    t.match(await readFile(join(folder, 'haproxy.cfg'), 'utf8'), / plants:3000 /);
  },
);

t.test('no compose file has a password, and each makes the account of the service', async (t) => {
  for (const file of [join(projectFolder, 'docker-compose.yml'), join(folder, 'docker-compose.scale.yml')]) {
    const text = await readFile(file, 'utf8');
    const { services } = parse(text, { merge: true });
    const variables = Object.values<{ environment?: Record<string, string> }>(services)
      .flatMap(({ environment = {} }) => Object.entries(environment))
      .filter(([name]) => /PASSWORD/.test(name));
    t.ok(variables.length >= 2, file);
    for (const [name, value] of variables)
      t.match(value, /^\$\{POSTGRES_PASSWORD:\?[^}]*\}$/, `${file}: ${name}`);
    t.notOk('POSTGRES_USER' in services.postgres.environment, 'the service is not the superuser');
    const [script = ''] = services.postgres.volumes
      .filter((volume: string) => volume.includes('/docker-entrypoint-initdb.d/'))
      .map((volume: string) => volume.split(':')[0]);
    t.equal(resolve(dirname(file), script), join(folder, 'postgres-owner.sql'), file);
  }
});

t.test(
  'postgres-owner.sql makes an account that owns its database, and is not a superuser',
  { skip: missing('psql') },
  async (t) => {
    const server = await startOwnPostgres(t);
    // The superuser of the tests has the name of the service's account, and the image's is called "postgres".
    const asTests = await server.connect();
    await asTests.query("CREATE ROLE postgres SUPERUSER LOGIN PASSWORD 'secret'");
    await asTests.end();
    const urlOf = (user: string, password: string, database: string) => {
      const url = new URL(server.url);
      return Object.assign(url, {
        username: user,
        password: encodeURIComponent(password),
        pathname: database,
      }).href;
    };
    const url = urlOf('postgres', 'secret', 'postgres');
    const asSuperuser = new pg.Client(url);
    await asSuperuser.connect();
    t.teardown(() => asSuperuser.end());
    await asSuperuser.query('ALTER ROLE plants RENAME TO tests');
    const password = "it's $(long)";
    const script = join(folder, 'postgres-owner.sql');
    // As the image runs it.
    await run(
      'psql',
      ['--set=ON_ERROR_STOP=1', '--no-password', '--no-psqlrc', `--dbname=${url}`, `--file=${script}`],
      {
        env: { ...process.env, POSTGRES_PASSWORD: password },
      },
    );
    const { rows: accounts } = await asSuperuser.query(
      "SELECT rolname, rolsuper, rolpassword IS NOT NULL AS logs_in FROM pg_authid WHERE rolname IN ('plants', 'postgres') ORDER BY 1",
    );
    t.strictSame(
      accounts.map((row) => ({ ...row })),
      [
        { rolname: 'plants', rolsuper: false, logs_in: true },
        { rolname: 'postgres', rolsuper: true, logs_in: false },
      ],
    );
    const applied = await migrate(urlOf('plants', password, 'plants'), plantStore.migrationFolders);
    t.ok(applied.length > 0, 'it may make the tables');
  },
);

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: object;
}

async function readManifests(): Promise<Manifest[]> {
  const kubernetes = join(folder, 'kubernetes');
  const texts = (await readdir(kubernetes)).map((name) => readFile(join(kubernetes, name), 'utf8'));
  return (await Promise.all(texts)).flatMap((text) =>
    parseAllDocuments(text).map((document): Manifest => {
      for (const error of document.errors) throw error;
      return document.toJS();
    }),
  );
}

/** Where kubernetes-types, which is made from the OpenAPI document of Kubernetes, has the kinds. */
const moduleOf = (apiVersion: string): string =>
  apiVersion === 'v1' ? 'core/v1' : apiVersion.replace(/\.k8s\.io/, '');

async function typeFaults(
  t: Parameters<typeof makeFolder>[0],
  manifests: readonly Manifest[],
): Promise<string> {
  // In the project, so that the package is found.
  const place = await makeFolder(t, join(projectFolder, '.tap'));
  const lines = manifests.flatMap((manifest, at) => [
    `import type { ${manifest.kind} as Kind${at} } from 'kubernetes-types/${moduleOf(manifest.apiVersion)}.js';`,
    `export const manifest${at}: Kind${at} = ${JSON.stringify(manifest, null, 2)};`,
  ]);
  await writeFile(join(place, 'manifests.ts'), `${lines.join('\n')}\n`);
  const options = { strict: true, noEmit: true, module: 'nodenext', types: [], skipLibCheck: true };
  const configuration = join(place, 'tsconfig.json');
  await writeFile(configuration, JSON.stringify({ compilerOptions: options, files: ['manifests.ts'] }));
  const { out, err } = await runNode([compilerFile, '--project', configuration], { cwd: place });
  return out + err;
}

t.test('the manifests of Kubernetes have the members, and the types, that Kubernetes knows', async (t) => {
  const manifests = await readManifests();
  t.ok(manifests.length >= 5);
  t.equal(await typeFaults(t, manifests), '');
  const [first] = manifests;
  if (first === undefined) throw new Error('There is no manifest.');
  t.match(
    await typeFaults(t, [{ ...first, spec: { ...first.spec, replica: 3 } }]),
    /"replica"' does not exist/,
    'and what it does not know is found',
  );
});

t.test('the manifests fit each other and the service', async (t) => {
  const manifests = await readManifests();
  // The test above has compared each with the type of its kind.
  const of = <Kind extends { spec?: object }>(kind: string) =>
    manifests.find((manifest) => manifest.kind === kind)?.spec as Required<Kind>['spec'];
  const { template, selector } = of<Deployment>('Deployment');
  const labels = template.metadata?.labels;
  const [container] = template.spec?.containers ?? [];
  t.ok(labels);
  t.strictSame(selector.matchLabels, labels);
  t.strictSame(of<PodDisruptionBudget>('PodDisruptionBudget').selector?.matchLabels, labels);
  const service = of<Service>('Service');
  t.strictSame(service.selector, labels);
  const ports = new Set<unknown>(container?.ports?.map(({ name }) => name));
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
    t.ok(ports.has(container?.[probe]?.httpGet?.port), probe);
  t.ok(ports.has(service.ports?.[0]?.targetPort));
  const settings = new Map(container?.env?.map(({ name, value }) => [name, value]));
  t.ok(Number(template.spec?.terminationGracePeriodSeconds) >= Number(settings.get('DRAIN_SECONDS')) + 15);
  const environment = {
    ...Object.fromEntries(settings),
    DATABASE_URL: 'postgresql://plants@db.example/plants',
  };
  const read = new Set<unknown>();
  readSettings(
    new Proxy<NodeJS.ProcessEnv>(environment, {
      get(variables, name) {
        read.add(name);
        return Reflect.get(variables, name);
      },
    }),
  );
  for (const name of settings.keys()) t.ok(read.has(name), `the service reads ${name}`);
  const { minReplicas = 1, maxReplicas } = of<HorizontalPodAutoscaler>('HorizontalPodAutoscaler');
  t.ok(minReplicas >= 2 && maxReplicas > minReplicas, 'one pod may be away');
  t.ok(container?.resources?.requests?.['cpu'], 'the share of which the autoscaler counts');
});
