import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { projectFolder } from '../../../kit/index.js';
import { makeFolder, nodeWithoutTap, until } from '../../../kit/testing.js';
import { goals, nameOf } from '../../src/bench/goals.js';

// These tests start PostgreSQL, on machines that are busy with other tests.
t.setTimeout(600_000);

/** @returns the begin of a row, up to what was measured, and then the goal as goals.ts has it */
function verdictOn(name: string): RegExp {
  const found = goals.find((one) => nameOf(one) === name);
  if (found === undefined) throw new Error(`goals.ts has no ${name}.`);
  const { better, goal } = found;
  const bound = better === 'more' ? 'at least' : 'at most';
  return new RegExp(`\\| ${name} \\| [0-9].* \\| ${bound} ${goal.toLocaleString('en')} \\| `);
}

t.test('bench --help lists the options, and a wrong command line is explained', async (t) => {
  const helped = await bench(t, ['--help']);
  t.equal(helped.code, 0);
  const modes = ['--peers', '--lists', '--start', '--overload', '--guard'];
  for (const option of [
    ...modes,
    '--against',
    '--only',
    '--connections',
    '--rounds',
    '--seconds',
    '--plants',
  ])
    t.ok(helped.output.includes(option), option);
  const wrong: [string[], RegExp][] = [
    [['--only', 'rust'], /does not know "rust"/],
    [['--rounds', '0'], /--rounds must be/],
    [['--lists', '--guard'], /exclude each other/],
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

t.test('bench measures two builds in turn, and leaves nothing behind', async (t) => {
  const only = ['plant-store', 'before', 'fastify-by-hand'].flatMap((name) => ['--only', name]);
  const output = await measure(t, ['--peers', ...only, '--against', projectFolder, '--connections', '4']);
  t.match(
    output,
    /### Creates a second\n\n\| connections \| 4 \|\n.*\n\| plant store \| .*\n\| the other build \| /,
  );
  t.match(output, verdictOn('creates with 4 ÷ fastify-by-hand'));
  t.notOk(output.includes('\u001b'), 'no colours in a file');
});

t.test('bench measures the start', async (t) => {
  const output = await measure(t, ['--start', '--only', 'plant-store', '--only', 'fastify-by-hand']);
  t.match(output, /### From the start of the process to its first answer.*### Memory at rest/s);
});

t.test('bench measures an overload', async (t) => {
  const output = await measure(t, ['--overload', '--only', 'plant-store']);
  t.match(output, verdictOn('quiet-p50 with 500'));
  t.match(output, verdictOn('overload-accepted-p99 with 4,000'));
});

t.test('bench measures a long list', async (t) => {
  const output = await measure(t, ['--lists', '--plants', '10000', '--only', 'plant-store']);
  t.match(output, /\| plants \| 10,000 \|\n.*\n\| plant store \| .*\n\| psql's COPY \| /);
});

t.test('the guard builds the commit of its file, and says what each request costs beside it', async (t) => {
  const { code, output, errors, left } = await bench(t, ['--guard', '--rounds', '1']);
  // One short round says nothing of the ratios.
  t.ok(code === 0 || (code === 1 && /\| costs too much \|/.test(output)), errors);
  t.match(output, /### Creates: statements for each\n\n\| connections \| 1 \| 64 \|\n/);
  for (const measure of ['creates', 'deletes', 'lists'])
    for (const connections of [1, 64])
      t.match(output, new RegExp(`\\| ${measure} with ${connections} \\| [0-9., ]+ \\| (holds|costs)`));
  t.strictSame(left, [], 'nothing is left behind');
});

t.test('without wrk, bench says what to install', async (t) => {
  // Root needs this one program to start PostgreSQL.
  const PATH = await makeFolder(t);
  await symlink('/usr/bin/setpriv', join(PATH, 'setpriv'));
  const { code, errors, left } = await bench(t, ['--guard', '--against', projectFolder], { PATH });
  t.equal(code, 2);
  t.match(errors, /^wrk, which makes the load, is not on this machine: install it [^\n]+\n$/);
  t.strictSame(left, []);
});

t.test('an interrupt ends bench and all that it started', async (t) => {
  const { code, left } = await bench(t, ['--only', 'plant-store'], {}, async (child, folder) => {
    // The first folder appears before the compilation, and PostgreSQL's after it.
    await until('it compiles', async () => (await readdir(folder)).length >= 2);
    child.kill('SIGINT');
  });
  t.equal(code, 130);
  t.strictSame(left, []);
});

/** Measures one short round. */
async function measure(t: Test, parameters: readonly string[]): Promise<string> {
  const { code, output, errors, left } = await bench(t, [...parameters, '--rounds', '1', '--seconds', '1']);
  t.equal(code, 0, errors);
  t.strictSame(left, [], 'nothing is left behind');
  return output;
}

/** Runs the command with its own folder for temporary files, and returns what is left in it. */
async function bench(
  t: Test,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  meanwhile?: (child: ReturnType<typeof spawn>, folder: string) => Promise<void>,
) {
  const folder = await makeFolder(t);
  // PostgreSQL, which runs in another account if this is root, has its own folder in it.
  await chmod(folder, 0o711);
  const [program, ...node] = nodeWithoutTap;
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
