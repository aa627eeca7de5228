import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openTestCluster } from '../../scripts/test/cluster.js';
import { projectFolder } from '../../src/project.js';
import { uncountedNode } from '../support/programs/command.js';
import { makeFolder, until } from '../support/programs/process.js';

// Some of these tests start PostgreSQL, on machines that are busy with other tests.
t.setTimeout(600_000);

t.test('bench --help lists the options, and a wrong command line is explained', async (t) => {
  const helped = await bench(t, ['--help']);
  t.equal(helped.code, 0);
  for (const option of [
    '--quick',
    '--only',
    '--rounds',
    '--seconds',
    '--output',
    '--lists',
    '--costs',
    '--network',
    '--shares',
    '--haproxy',
    '--peers',
    '--against',
    '--plants',
    '--record',
  ])
    t.ok(helped.output.includes(option), option);
  const wrong: [string[], RegExp][] = [
    [['--only', 'rust'], /does not know "rust"/],
    [['--rounds', '0'], /--rounds must be/],
    [['--lists', '--quick'], /exclude each other/],
    [['--lists', '--only', 'cpu'], /cpu is not what this measures/],
    [['--peers', '--record'], /--record adds a run of --quick/],
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

t.test('bench measures two builds in turn, and leaves nothing behind', { timeout: 600_000 }, async (t) => {
  const only = ['plant-store', 'before', 'fastify-by-hand'].flatMap((name) => ['--only', name]);
  const against = ['--against', projectFolder, '--connections', '4'];
  const { page, output } = await measure(t, ['--peers', ...only, ...against]);
  t.match(page, '| connections | plant store | ÷ Fastify + pg by hand | ÷ the other build |');
  t.match(output, /creates-beside-peers with 4 ÷ fastify-by-hand .* at least 0\.95 /);
  t.notOk(page.includes('\u001b'), 'no colours in a file');
});

t.test('bench measures costs', async (t) => {
  const { output } = await measure(t, ['--costs']);
  for (const line of [
    /cpu with 1 ÷ fastify-by-hand .* at most 1\.15 /,
    /cpu with 64 ÷ fastify-by-hand .* at most 0\.5 /,
    /rest ÷ fastify-by-hand .* at most 1\.25 /,
    /start ÷ fastify-by-hand .* at most 1\.4 /,
  ])
    t.match(output, line);
});

t.test('bench measures creates through a network', async (t) => {
  const { page } = await measure(t, ['--network', '--connections', '64']);
  const [, median = ''] =
    /Creates through 20 ms [^\n]*latency, median[\s\S]*?\| 64 \| ([0-9.,]+) /.exec(page) ?? [];
  t.ok(Number(median) >= 20, `${median} ms: it waits for the network`);
});

t.test('bench measures shares', async (t) => {
  const { output } = await measure(t, [
    '--shares',
    '--only',
    'plant-store',
    '--only',
    'quiet',
    '--only',
    'overload',
  ]);
  t.match(output, /a quiet owner's create beside 500 connections, median .* at most 50 /);
  t.match(output, /accepted creates at 4,000 a second, p99 .* at most 3000 /);
});

t.test('bench measures long lists', async (t) => {
  const { page } = await measure(t, [
    '--lists',
    '--plants',
    '10000',
    '--only',
    'plant-store',
    '--only',
    'copy',
  ]);
  t.match(page, /## 1,000 plants: time/);
  t.match(page, /## The whole list by plants in it: memory above idle/);
});

t.test('bench measures the service behind HAProxy', async (t) => {
  const { page, output } = await measure(t, ['--haproxy', '--only', 'creates-by-deployment']);
  // Without Debian's haproxy, the report says so.
  if (!/Missing: haproxy/.test(output)) t.match(page, '| two processes behind HAProxy |');
});

t.test('without wrk, bench says what to install', async (t) => {
  // Root needs this one program to start PostgreSQL.
  const PATH = await makeFolder(t);
  await symlink('/usr/bin/setpriv', join(PATH, 'setpriv'));
  const { code, errors, left } = await bench(t, ['--quick'], { PATH });
  t.equal(code, 2);
  t.match(errors, /wrk, which makes the load, is not on this machine: install it/);
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

/** Measures one short round, and reads the page that it writes. */
async function measure(t: Test, parameters: readonly string[]): Promise<{ page: string; output: string }> {
  const folder = await makeFolder(t);
  const short = ['--rounds', '1', '--seconds', '1', '--output', folder];
  const { code, output, errors, left } = await bench(t, [...parameters, ...short]);
  t.equal(code, 0, errors);
  t.strictSame(left, [], 'nothing is left behind');
  const files = await readdir(folder);
  t.equal(files.length, 1);
  return { page: await readFile(join(folder, files[0] ?? ''), 'utf8'), output };
}

/** Runs the command with its own folder for temporary files, and returns what is left in it. */
async function bench(
  t: Test,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  meanwhile?: (child: ReturnType<typeof spawn>, folder: string) => Promise<void>,
) {
  const folder = await makeFolder(t);
  // pgbouncer, which runs in another account if this is root, has its own folder in it.
  await chmod(folder, 0o711);
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
