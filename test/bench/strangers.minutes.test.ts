import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { familyCpuSeconds } from '../../scripts/lab/bench/cpu-time.js';
import { Strangers } from '../../scripts/lab/bench/strangers.js';
import { uncountedNode } from '../support/programs/command.js';

const busyForAWhile = `
  const { execFileSync } = require('node:child_process');
  const spin = 'const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 200_000);';
  execFileSync(process.execPath, ['-e', spin]);
  eval(spin);
  console.log('done');
  setInterval(() => {}, 1_000);
`;

t.test('the CPU time of a family is that of a process and of its children that have ended', async (t) => {
  const pid = (await start(t, busyForAWhile)).pid ?? 0;
  const family = await familyCpuSeconds([pid]);
  t.ok(family >= 0.4, `${family} s with the child`);
  const above = await familyCpuSeconds([process.pid]);
  t.ok(above >= family, `${above} s with the parent`);
});

t.test('what others disturb is measured again, as long as there is patience', async (t) => {
  // Nothing is ours here, so that the work itself disturbs.
  const strangers = new Strangers([], 2);
  const steps: string[] = [];
  const measure = () =>
    strangers.keepAway(
      async () => {
        steps.push('work');
        await Promise.all(Array.from({ length: availableParallelism() }, spin));
        return steps.length;
      },
      () => steps.push('prepare'),
    );
  t.strictSame(await measure(), { result: 6, isDisturbed: true });
  t.equal(steps.join(' '), 'prepare work prepare work prepare work');
  t.strictSame(await measure(), { result: 8, isDisturbed: true }, 'there is no more patience');
  t.match(strangers.report, /^2 of 2 figures /);
});

t.test('programs of our own disturb nothing', async (t) => {
  // All processes descend from 0. The time of one that ends in between is not always known.
  const strangers = new Strangers([0], 200);
  const { isDisturbed } = await strangers.keepAway(
    () => pause(200),
    () => {},
  );
  t.equal(isDisturbed, false);
  t.match(strangers.report, /^0 of 1 figures /);
});

/** A program that says something once it is ready, and is ended with the test. */
async function start(t: Test, program: string): Promise<ChildProcess> {
  const [file, ...parameters] = uncountedNode;
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
  const child = spawn(file, [...parameters, '-e', program], { stdio });
  t.teardown(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

/** Uses up a fifth of a second, on another thread. */
async function spin(): Promise<void> {
  const worker = new Worker('const end = Date.now() + 200; while (Date.now() < end);', { eval: true });
  await once(worker, 'exit');
}
