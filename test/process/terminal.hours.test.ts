import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { copyProject, projectFolder } from '../../packages/kit/index.js';
import { runTypeScript } from '../../packages/kit/testing.js';

/** The output that a person at the terminal reads. */

const run = (script: string, parameters: readonly string[], settings = {}) =>
  runTypeScript(join(projectFolder, script), parameters, {
    cwd: projectFolder,
    env: { ...process.env, ...settings },
  });

t.setTimeout(600_000);

t.test('--help prints the usage of each command to stdout, and needs no database', async (t) => {
  for (const script of ['token', 'mock', 'diff-contract']) {
    const { code, out, err } = await run(`scripts/${script}.ts`, ['--help'], { DATABASE_URL: 'broken' });
    t.strictSame([code, err], [0, ''], script);
    t.match(out, `npm run `);
  }
});

t.test('a wrong command line is explained on stderr, with the usage', async (t) => {
  for (const [parameters, message] of [
    [[], /^The command is missing: write issue, list or revoke\.\n\n.*issue OWNER/s],
    [['isue', 'alice'], /^"isue" is not a command: write issue, list or revoke\.\n/],
    [['issue', 'alice', '--expires-in', 'soon'], /such as 30d/],
  ] as const) {
    const { code, out, err } = await run('src/main.ts', ['token', ...parameters]);
    t.strictSame([code, out], [2, '']);
    t.match(err, message);
  }
});

t.test('a start with a wrong setting says in one line what to change', async (t) => {
  for (const [settings, message] of [
    [{ PORT: 'http' }, /^PORT is "http": set it to /],
    [{ TRUST_PROXY: 'proxy.example' }, /^TRUST_PROXY has "proxy\.example": set it to /],
  ] as const) {
    const { code, err } = await run('src/main.ts', [], settings);
    t.equal(code, 1);
    t.match(err, message);
    t.equal(err.trim().split('\n').length, 1);
  }
});

t.test(
  'npm start prints its progress while it compiles, and stdout has nothing but the log in a pipe',
  async (t) => {
    const folder = t.testdir();
    await copyProject(folder);
    await cp(join(projectFolder, 'tsconfig.build.json'), join(folder, 'tsconfig.build.json'));
    const npm = spawn('npm', ['run', '--silent', 'start'], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '', PORT: 'http' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(npm.stdout), text(npm.stderr)]);
    t.equal(out, '');
    const lines = err.split('\n').filter((line) => !line.startsWith('npm warn'));
    t.strictSame(lines, [
      'Compiling the service …',
      'PORT is "http": set it to a whole number from 0 to 65535.',
      '',
    ]);
  },
);

t.test('output has no colours in a pipe or with NO_COLOR', async (t) => {
  for (const settings of [{}, { NO_COLOR: '1' }]) {
    const all = await Promise.all([
      run('scripts/diff-contract.ts', ['--base', 'openapi/plants.yaml'], settings),
      run('scripts/lint-contract.ts', [], settings),
      run('src/main.ts', ['token', '--help'], settings),
    ]);
    for (const { out, err } of all) t.notMatch(out + err, '\x1b');
  }
});
