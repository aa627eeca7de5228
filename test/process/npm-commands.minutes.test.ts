import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { until } from '../../packages/kit/testing.js';

t.test('a server that npm started ends with the process of npm', async (t) => {
  const { NODE_OPTIONS, ...env } = process.env;
  const npm = spawn('npm', ['run', 'mock'], {
    cwd: projectFolder,
    env: { ...env, HOST: '127.0.0.1', PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that what is left can be killed.
    detached: true,
  });
  t.teardown(() => {
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const address = await until('the mock is ready', () => / ready at (http:\S+)/.exec(output)?.[1]);
  npm.kill('SIGTERM');
  await once(npm, 'exit');
  await until(
    'it does not answer',
    () =>
      fetch(`${address}/live`).then(
        () => false,
        () => true,
      ),
    10_000,
  );
});
