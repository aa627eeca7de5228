import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { nodeWithoutTap } from '../../../kit/testing.js';
import { familyCpuSeconds } from '../../src/bench/cpu-time.js';

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

/** A program that says something once it is ready, and is ended with the test. */
async function start(t: Test, program: string): Promise<ChildProcess> {
  const [file, ...parameters] = nodeWithoutTap;
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
