import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { copyProject } from '../../scripts/kit/project-copy.js';
import { projectFolder } from '../../src/project.js';
import { runTypeScript } from '../support/command.js';

/** What a person at the terminal reads. */

const run = (script: string, parameters: readonly string[], settings = {}) =>
  runTypeScript(join(projectFolder, script), parameters, {
    cwd: projectFolder,
    env: { ...process.env, ...settings },
  });

t.setTimeout(600_000);

t.test('--help says how to call a command, on stdout, and needs no database', async (t) => {
  for (const script of ['token', 'mock', 'diff-contract']) {
    const { code, out, err } = await run(`scripts/${script}.ts`, ['--help'], { DATABASE_URL: 'broken' });
    t.strictSame([code, err], [0, ''], script);
    t.match(out, `npm run `);
  }
});

t.test('a command that is called wrongly says what is wrong, and how to call it', async (t) => {
  for (const [parameters, message] of [
    [[], /^Say what to do\.\n\n.*issue OWNER/s],
    [['isue', 'alice'], /^"isue" is none of issue, list and revoke\.\n/],
    [['issue', 'alice', '--expires-in', 'soon'], /such as 30d/],
  ] as const) {
    const { code, out, err } = await run('scripts/token.ts', parameters);
    t.strictSame([code, out], [1, '']);
    t.match(err, message);
  }
});

t.test('a start that fails says in one line what to change', async (t) => {
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
  'npm start says what it does while it compiles, and in a pipe the log alone is on stdout',
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
      'PORT is "http": set it to a number from 0 to 65535.',
      '',
    ]);
  },
);

t.test('a pipe gets no colours, and neither does NO_COLOR', async (t) => {
  for (const settings of [{}, { NO_COLOR: '1' }]) {
    const all = await Promise.all([
      run('scripts/diff-contract.ts', ['--base', 'openapi/plants.yaml'], settings),
      run('scripts/lint-contract.ts', [], settings),
      run('scripts/token.ts', ['--help'], settings),
    ]);
    for (const { out, err } of all) t.notMatch(out + err, '\x1b');
  }
});
