import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { marginOf } from '../../scripts/bench/goal.js';
import { goals } from '../../scripts/bench/goals.js';
import { memory as memoryGoals } from '../../scripts/bench/memory/goals.js';
import { reportedModes } from '../../scripts/bench/modes.js';
import { type Results, valuesOf } from '../../scripts/bench/results.js';
import { shares as shareGoals } from '../../scripts/bench/shares/goals.js';
import { openTestCluster } from '../../scripts/test/cluster.js';
import { projectFolder } from '../../src/project.js';
import { uncountedNode } from '../support/command.js';
import { until } from '../support/process.js';

// Some of these tests start PostgreSQL, on machines that are busy with other tests.
t.setTimeout(600_000);

t.test('the recordings in docs/ contain the figures of each goal', async (t) => {
  const recordings = await Promise.all(
    reportedModes.map(async ({ name }): Promise<Results> => {
      const file = join(projectFolder, 'docs', 'evidence', 'benchmarks', `${name}.json`);
      return JSON.parse(await readFile(file, 'utf8'));
    }),
  );
  for (const goal of goals)
    t.ok(
      recordings.some((results) => goal.values(results).length > 0),
      goal.name,
    );
});

t.test('bench --help lists the options, and a wrong command line is explained', async (t) => {
  const helped = await bench(t, ['--help']);
  t.equal(helped.code, 0);
  for (const option of [
    '--quick',
    '--only',
    '--rounds',
    '--seconds',
    '--output',
    '--contestants',
    '--loads',
    '--costs',
    '--network',
    '--shares',
    '--memory',
    '--growth',
    '--replicas',
    '--plants',
    '--record',
  ])
    t.ok(helped.output.includes(option), option);
  const wrong: [string[], RegExp][] = [
    [['--only', 'rust'], /does not know "rust"/],
    [['--rounds', '0'], /--rounds must be/],
    [['--growth', '--quick'], /exclude each other/],
    [['--growth', '--only', 'page'], /page is not what this measures/],
    [['--quick', '--only', 'network'], /network is not what this measures/],
    [['--plants', '9'], /--plants must be/],
    [['--loud'], /--loud/],
  ];
  for (const [parameters, message] of wrong) {
    const { code, errors } = await bench(t, parameters);
    t.equal(code, 2, parameters.join(' '));
    t.match(errors, message);
    t.equal(errors.trim().split('\n').length, 1, 'in one line');
  }
});

t.test('bench refuses a PostgreSQL with too few connections for all contestants', async (t) => {
  const { url } = await openTestCluster();
  const { code, errors, left } = await bench(t, ['--database-url', url, '--only', 'plant-store']);
  t.equal(code, 2);
  t.match(errors, /max_connections/);
  t.strictSame(left, []);
});

t.test('bench measures two contestants and leaves nothing behind', { timeout: 600_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plants-report-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const only = ['creates', 'plant-store', 'ceiling'].flatMap((name) => ['--only', name]);
  const parameters = [...only, '--rounds', '1', '--seconds', '1', '--output', folder];
  const { code, output, errors, left } = await bench(t, parameters);
  t.equal(code, 0, errors);
  t.match(output, /creates ÷ ceiling/);
  t.strictSame(left, [], 'nothing is left behind');
  const files = await readdir(folder);
  t.strictSame(files.sort(), ['contestants.json', 'contestants.md', 'contestants.txt']);
  const report: Results = JSON.parse(await readFile(join(folder, 'contestants.json'), 'utf8'));
  t.strictSame(
    report.measured[0]?.series.map(({ name, values }) => [name, values.length]),
    [
      ['plant-store', 1],
      ['ceiling', 1],
    ],
  );
  t.notOk(
    (await readFile(join(folder, 'contestants.txt'), 'utf8')).includes('\u001b'),
    'no colours in a file',
  );
});

t.test('bench measures costs, and creates through a network', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plants-report-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const measures = ['cpu', 'rest', 'start', 'bodies', 'metrics', 'network'].flatMap((name) => [
    '--only',
    name,
  ]);
  const parameters = [...measures, '--rounds', '1', '--seconds', '1', '--output', folder];
  const { code, output, errors, left } = await bench(t, parameters);
  t.equal(code, 0, errors);
  t.strictSame(left, []);
  for (const line of [
    /cpu with 1 ÷ fastify-by-hand .* at most 1 /,
    /cpu with 64 ÷ fastify-by-hand .* at most 0\.5 /,
    /rest ÷ fastify-by-hand .* at most 1\.3 /,
    /start ÷ fastify-by-hand .* at most 1\.5 /,
    /the slowest body of 64 KiB, answered .* at most 5 /,
    /metrics with 64, of the main thread's CPU time .* at most 2 /,
    /creates through 1 ms with 64 ÷ go .* at least 2 /,
    /creates through 20 ms with 256 ÷ go .* at least 2 /,
  ])
    t.match(output, line);
  const costs: Results = JSON.parse(await readFile(join(folder, 'costs.json'), 'utf8'));
  // A program that does nothing but to wait for PostgreSQL would still need some microseconds.
  for (const { name, series } of costs.measured.filter(({ unit }) => unit === 'µs'))
    for (const { title, values } of series) t.ok((values[0] ?? 0) > 1, `${name} ${title}`);
  const network: Results = JSON.parse(await readFile(join(folder, 'network.json'), 'utf8'));
  const medians = network.measured.find(({ name }) => name === 'creates-through-20-ms-p50')?.series ?? [];
  t.equal(medians.length, 4);
  for (const { title, values } of medians) t.ok((values[0] ?? 0) >= 20, `${title} waits for the network`);
});

t.test('bench measures all goals of the shares', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plants-report-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const only = ['quiet', 'burst', 'arrivals', 'single', 'overload', 'plant-store'];
  const parameters = only.flatMap((name) => ['--only', name]);
  const short = ['--shares', '--rounds', '1', '--seconds', '1', '--output', folder];
  const { code, output, errors, left } = await bench(t, [...parameters, ...short]);
  t.equal(code, 0, errors);
  t.strictSame(left, []);
  const report: Results = JSON.parse(await readFile(join(folder, 'shares.json'), 'utf8'));
  for (const { name, values } of shareGoals) t.ok((values(report)[0] ?? 0) > 0, name);
  t.match(output, /accepted creates at 4,000 a second, p99 .* at most 500 /);
});

t.test('bench measures the memory of all loads, or says that it may not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plants-report-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { code, output, errors, left } = await bench(t, ['--memory', '--seconds', '1', '--output', folder]);
  t.equal(code, 0, errors);
  t.strictSame(left, []);
  if (/Missing: memory: /.test(output)) return;
  const report: Results = JSON.parse(await readFile(join(folder, 'memory.json'), 'utf8'));
  for (const goal of memoryGoals) {
    const figures = goal.values(report);
    t.ok((figures[0] ?? 0) > 20, goal.name);
    // A busy machine may make another owner wait, but may not end the process.
    if (goal.unit === 'MB') t.ok((marginOf(goal, report) ?? -1) >= 0, `${goal.name}: ${figures}`);
  }
});

t.test('bench measures deployments, and the standby spares the leader long lists', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'plants-report-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const only = ['creates-by-deployment', 'lists-by-deployment'].flatMap((name) => ['--only', name]);
  const short = ['--replicas', '--rounds', '1', '--seconds', '1', '--output', folder];
  const { code, errors, left } = await bench(t, [...only, ...short]);
  t.equal(code, 0, errors);
  t.strictSame(left, []);
  const report: Results = JSON.parse(await readFile(join(folder, 'replicas.json'), 'utf8'));
  const names = report.measured[0]?.series.map(({ name }) => name) ?? [];
  const optional = ['balanced', 'balanced-2', 'pooled'];
  // Without Debian's haproxy or pgbouncer, the report says so.
  t.strictSame(
    names.filter((name) => !optional.includes(name)),
    ['alone', 'synchronous'],
  );
  t.equal(names.length === 5, report.missing.length === 0);
  const [leader = 1] = valuesOf(report, 'lists-by-deployment-cpu-postgres', 'replica');
  const [standby = 0] = valuesOf(report, 'lists-by-deployment-cpu-standby', 'replica');
  t.ok(leader < standby, `CPU for each list: leader ${leader} ms, standby ${standby} ms`);
});

t.test('if wrk is missing, the benchmark guard says so and judges nothing', async (t) => {
  // Root needs this one program to start PostgreSQL.
  const PATH = await mkdtemp(join(tmpdir(), 'plants-path-'));
  t.teardown(() => rm(PATH, { recursive: true }));
  await symlink('/usr/bin/setpriv', join(PATH, 'setpriv'));
  const { code, output, errors, left } = await bench(t, ['--quick', '--connections', '4'], { PATH });
  t.equal(code, 0, errors);
  t.match(output, /Missing: wrk: .* autocannon/);
  t.match(output, /not judged here +creates with 4 ÷ fastify-by-hand: /);
  t.match(output, /not measured here +creates with 64 ÷ fastify-by-hand: /);
  t.notMatch(output, /^(?:holds|fell)/m);
  t.strictSame(left, []);
});

t.test('an interrupt ends bench and all that it started', { timeout: 600_000 }, async (t) => {
  const { code, left } = await bench(t, ['--only', 'plant-store'], {}, async (child, folder) => {
    // The folder appears before the compilation, and PostgreSQL's after it: this interrupts the compilation.
    await until('it compiles', async () => (await readdir(folder)).length >= 2);
    child.kill('SIGINT');
  });
  t.equal(code, 130);
  t.strictSame(left, []);
});

/** Runs the command with its own folder for temporary files, and returns what is left in it. */
async function bench(
  t: Test,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  meanwhile?: (child: ReturnType<typeof spawn>, folder: string) => Promise<void>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'b-'));
  // pgbouncer, which runs in another account if this is root, has its own folder in it.
  await chmod(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [program, ...node] = uncountedNode;
  const child = spawn(program, [...node, '--import', 'tsx', 'scripts/bench.ts', ...parameters], {
    cwd: projectFolder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close');
  await meanwhile?.(child, folder);
  const [code] = await ended;
  // tsx and npm's tools leave caches of their own.
  const left = (await readdir(folder)).filter((name) => name.startsWith('plant'));
  return { code, output, errors, left };
}
