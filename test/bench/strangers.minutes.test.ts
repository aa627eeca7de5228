import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { cpuSeconds, familyCpuSeconds, fullListenQueues, parentNamed } from '../../scripts/kit/kernel.js';
import { Strangers } from '../../scripts/lab/bench/strangers.js';
import { uncountedNode } from '../support/programs/command.js';
import { until } from '../support/programs/process.js';

const busyForAWhile = `
  const { execFileSync } = require('node:child_process');
  const spin = 'const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 200_000);';
  execFileSync(process.execPath, ['-e', spin]);
  eval(spin);
  console.log('done');
  setInterval(() => {}, 1_000);
`;

/** A process that has used up almost half a second, half of it in a child that has ended. */
async function busy(t: Test): Promise<number> {
  const { child } = await start(t, busyForAWhile);
  return child.pid ?? 0;
}

t.test('the CPU time of a family is that of a process and of its children that have ended', async (t) => {
  const pid = await busy(t);
  const alone = (await cpuSeconds(pid)) ?? 0;
  const family = await familyCpuSeconds([pid]);
  t.ok(alone >= 0.2, `${alone} s alone`);
  t.ok(family >= alone + 0.2, `${family} s with the child`);
  const above = await familyCpuSeconds([process.pid]);
  t.ok(above >= family, `${above} s with the parent`);
});

t.test('PostgreSQL is known by the name of a process and its parent', async (t) => {
  const pid = await busy(t);
  const name = (await readFile('/proc/self/comm', 'utf8')).trimEnd();
  t.equal(await parentNamed(name, pid), process.pid);
  t.equal(await parentNamed('postgres', pid), undefined);
  t.equal(await parentNamed(name, 0), undefined);
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

t.test('connections that find a full listen queue are counted', async (t) => {
  const listening = `
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      console.log(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });
  `;
  const { said } = await start(t, listening);
  const before = await fullListenQueues();
  const sockets = Array.from({ length: 8 }, () => connect(Number(said), '127.0.0.1').on('error', () => {}));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until('the queue is full', async () => (await fullListenQueues()) > before);
});

/** A program that says something once it is ready, and is ended with the test. */
async function start(t: Test, program: string): Promise<{ child: ChildProcess; said: string }> {
  const [file, ...parameters] = uncountedNode;
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
  const child = spawn(file, [...parameters, '-e', program], { stdio });
  t.teardown(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const [said] = child.stdout === null ? [] : await once(child.stdout, 'data');
  return { child, said: String(said) };
}

/** Uses up a fifth of a second, on another thread. */
async function spin(): Promise<void> {
  const worker = new Worker('const end = Date.now() + 200; while (Date.now() < end);', { eval: true });
  await once(worker, 'exit');
}
