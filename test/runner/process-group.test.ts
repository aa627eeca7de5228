import t from 'tap';
import { isAlive, send } from '../../scripts/kit/processes.js';
import { startGroup } from '../../scripts/test/process-group.js';
import { until } from '../support/programs/process.js';

t.test('the end of a process group ends what its leader has started, too', async (t) => {
  const group = startGroup('/bin/sh', ['-c', 'sleep 1000 & echo $!; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => group.end());
  let output = '';
  group.leader.stdout?.on('data', (text) => {
    output += text;
  });
  const started = Number(await until('it has started another', () => /^\d+(?=\n)/.exec(output)?.[0]));
  t.teardown(() => send('SIGKILL', started));
  t.ok(await isAlive(started));
  await group.end();
  t.notOk(await isAlive(started));
  t.notOk(await isAlive(group.leader.pid ?? 0));
  await t.resolves(group.end(), 'and none is left to be ended');
});

t.test('a program that cannot be started leaves no process group to end', async (t) => {
  const group = startGroup('/nowhere/program', [], { stdio: 'ignore' });
  group.leader.once('error', () => {});
  await t.resolves(group.end());
});
