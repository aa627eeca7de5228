import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { goals, isMet } from '../../scripts/bench/goals.js';
import { describe, fallen, judge } from '../../scripts/bench/guard.js';
import { Progress } from '../../scripts/bench/progress.js';
import { toMarkdown, toText } from '../../scripts/bench/report.js';
import { type Measured, type Results, ratiosOf } from '../../scripts/bench/results.js';
import { inRounds } from '../../scripts/bench/rounds.js';
import { ratios, summarize } from '../../scripts/bench/statistics.js';
import { openTestCluster } from '../../scripts/test/cluster.js';
import { projectFolder } from '../../src/project.js';
import { uncountedNode } from '../support/command.js';
import { until } from '../support/process.js';

// Some of these tests start PostgreSQL, on machines that are busy with other tests.
t.setTimeout(600_000);

const creates: Measured = {
  name: 'creates',
  title: 'Creates per second',
  unit: 'per second',
  better: 'more',
  series: [
    { name: 'plant-store', title: 'plant store', values: [100, 300, 200] },
    { name: 'go', title: 'Go <pgx>', values: [100, 100, 80] },
  ],
};
const results: Results = {
  title: 'Given figures',
  conditions: ['None of this was measured.'],
  missing: ['pgbench: It is not here.'],
  measured: [creates],
};

t.test('a benchmark figure is the median of its rounds, with the interquartile range', async (t) => {
  t.equal(summarize([]), undefined);
  t.strictSame(summarize([7]), { median: 7, low: 7, high: 7, rounds: 1 });
  t.strictSame(summarize([4, 1, 3, 2, 5]), { median: 3, low: 2, high: 4, rounds: 5 });
  t.strictSame(summarize([1, 2]), { median: 1.5, low: 1.25, high: 1.75, rounds: 2 });
});

t.test('a benchmark ratio is made of two figures of one round', async (t) => {
  t.strictSame(ratios([100, 300, 200], [100, 100, 80]), [1, 3, 2.5]);
  t.strictSame(ratiosOf(results, 'creates', 'plant-store', 'go'), [1, 3, 2.5]);
  t.strictSame(ratiosOf(results, 'creates', 'plant-store', 'pgbench'), []);
});

t.test('a benchmark goal is met, missed or unknown', async (t) => {
  const verdicts = new Map(goals.map((goal) => [goal.name, isMet(goal, results)]));
  t.equal(verdicts.get('creates ÷ go'), true, 'at least 2, and 2.5');
  t.equal(verdicts.get('creates ÷ pgbench'), undefined, 'not measured');
  t.equal(goals.length, verdicts.size, 'no two of a name');
  const reversed = { ...results, measured: [{ ...creates, name: 'creates-p99' }] };
  const p99 = goals.find(({ name }) => name === 'creates-p99 ÷ go');
  t.equal(p99 && isMet(p99, reversed), false, 'at most 1, and 2.5');
});

t.test('the recordings in docs/ contain the figures of each goal', async (t) => {
  const recordings = await Promise.all(
    ['contestants.json', 'growth.json'].map(async (name): Promise<Results> => {
      return JSON.parse(await readFile(join(projectFolder, 'docs', 'evidence', 'benchmarks', name), 'utf8'));
    }),
  );
  for (const goal of goals)
    t.ok(
      recordings.some((results) => goal.values(results).length > 0),
      goal.name,
    );
});

t.test('the benchmark guard fails if a ratio fell by a quarter, and only then', async (t) => {
  const here = { cores: 2, generator: 'wrk' };
  const [recorded, measured] = [
    { a: 4, b: 4, c: 4, d: 4 },
    { a: 3, b: 3.01, c: 9 },
  ];
  const verdicts = judge({ ...here, ratios: recorded }, measured, here);
  t.strictSame(fallen(verdicts), ['a']);
  t.equal(verdicts[3]?.measured, undefined, 'who is missing has not fallen');
});

t.test('the benchmark guard judges comparable ratios only, and lists the others', async (t) => {
  const record = {
    cores: 2,
    generator: 'wrk',
    ratios: { 'creates ÷ fastify-by-hand': 4, 'creates ÷ go': 4 },
  };
  const measured = { 'creates ÷ fastify-by-hand': 1, 'creates ÷ go': 1 };
  const onFour = judge(record, measured, { cores: 4, generator: 'wrk' });
  t.strictSame(
    fallen(onFour),
    ['creates ÷ fastify-by-hand'],
    'Go is quicker on four cores, the service is not',
  );
  t.match(onFour.map(describe).join('\n'), /not judged here +creates ÷ go: .*; recorded on 2 cores, not 4/);
  t.strictSame(fallen(judge(record, measured, { cores: 2, generator: 'autocannon' })), []);
});

t.test('every round measures all contestants, after a warm-up round that does not count', async (t) => {
  const order: string[] = [];
  const entrants = ['a', 'b', 'c'].map((name) => ({
    name,
    title: name,
    async measure(round: number) {
      order.push(name + round);
      return round;
    },
  }));
  const quiet = new Progress({ isTTY: false, write: () => true });
  const measured = await inRounds('letters', entrants, 2, quiet);
  t.equal(order.join(' '), 'a0 b0 c0 b1 c1 a1 c2 a2 b2');
  t.strictSame(
    measured.map(({ rounds }) => rounds),
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
  );
});

t.test('a benchmark report shows conditions, figures, ratios and missing contestants', async (t) => {
  const text = toText(results);
  t.match(text, /None of this was measured\./);
  t.match(text, /Missing: pgbench: It is not here\./);
  t.match(text, /creates ÷ go +2\.5 \(1\.75–2\.75\) +at least 2 +met/);
  t.match(text, /Go <pgx> +100 \(90–100\) +0\.4 \(0\.367–0\.7\)/);
  const markdown = toMarkdown(results);
  t.match(markdown, /^# Given figures\n\n<!-- .* -->\n\n- None of this was measured\.\n/);
  t.match(markdown, '\n| Go <pgx> | 100 (90–100) | 0.4 (0.367–0.7) |\n');
  const series = creates.series.map((one) => ({ ...one, at: one.name === 'go' ? 1_000 : 0 }));
  const growth = toMarkdown({ ...results, measured: [{ ...creates, axis: 'stored', series }] });
  t.match(growth, '\n| Go <pgx> | 1,000 | 100 (90–100) |  |\n');
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
    '--growth',
    '--plants',
    '--record',
  ])
    t.ok(helped.output.includes(option), option);
  const wrong: [string[], RegExp][] = [
    [['--only', 'rust'], /does not know "rust"/],
    [['--rounds', '0'], /--rounds must be/],
    [['--growth', '--quick'], /exclude each other/],
    [['--growth', '--only', 'page'], /page is not what this measures/],
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

t.test(
  'if its tools are missing, the benchmark guard lists them and judges nothing',
  { timeout: 600_000 },
  async (t) => {
    const only = ['creates', 'plant-store', 'fastify-by-hand', 'go'].flatMap((name) => ['--only', name]);
    // Root needs this one program to start PostgreSQL.
    const PATH = await mkdtemp(join(tmpdir(), 'plants-path-'));
    t.teardown(() => rm(PATH, { recursive: true }));
    await symlink('/usr/bin/setpriv', join(PATH, 'setpriv'));
    const { code, output, errors, left } = await bench(t, ['--quick', ...only, '--rounds', '1'], { PATH });
    t.equal(code, 0, errors);
    t.match(output, /Missing: wrk: .* autocannon/);
    t.match(output, /Missing: go: /);
    t.match(output, /not judged here +creates ÷ fastify-by-hand: /);
    t.match(output, /not measured here +creates ÷ go: /);
    t.notMatch(output, /^(?:holds|fell)/m);
    t.strictSame(left, []);
  },
);

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
