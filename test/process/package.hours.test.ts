import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { copyProject } from '../../scripts/kit/project-copy.js';
import { projectFolder, readVersion } from '../../src/project.js';
import { makeDataFolder, makeFolder, until } from '../support/programs/process.js';
import { call } from '../support/service/call.js';

const run = promisify(execFile);
const env = { ...process.env, NODE_OPTIONS: '', PORT: '0', LOG_LEVEL: 'silent' };

t.test('the npm package has the files of its program, whose data are in the working folder', async (t) => {
  const [copy, place] = [await makeFolder(t), await makeFolder(t)];
  await copyProject(copy);
  await cp(join(projectFolder, 'tsconfig.build.json'), join(copy, 'tsconfig.build.json'));
  await run('npm', ['run', '--silent', 'pack:service', '--', '--pack-destination', place], {
    cwd: copy,
    env,
  });
  await run('tar', ['-xzf', `plant-store-${readVersion()}.tgz`], { cwd: place });
  t.strictSame((await readdir(join(place, 'package'))).sort(), [
    'README.md',
    'dist',
    'docs',
    'openapi',
    'package.json',
    'src',
  ]);
  // As npm installs it.
  await symlink(join(projectFolder, 'node_modules'), join(place, 'node_modules'));
  const program = join(place, 'plant-store');
  const file = join(place, 'package', 'dist', 'src', 'command-line', 'plant-store.js');
  await chmod(file, 0o755);
  await symlink(file, program);

  const data = await makeDataFolder(t, place);
  const cwd = join(data, '..');
  await mkdir(cwd, { recursive: true });
  const settings = { ...env, DATA_DIR: 'data' };
  t.equal((await run(program, ['--version'], { cwd, env })).stdout, `${readVersion()}\n`);
  t.match((await run(program, ['token', '--help'], { cwd, env })).stdout, '  plant-store token issue OWNER ');
  const { stdout: token } = await run(program, ['token', 'issue', 'ada'], { cwd, env: settings });
  const service = spawn(program, { cwd, env: settings, stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(() => service.kill('SIGKILL'));
  let lines = '';
  service.stderr.setEncoding('utf8').on('data', (text) => {
    lines += text;
  });
  const ended = new Promise((resolve) => service.once('close', resolve));
  const address = await until('it is ready', () => /ready at (\S+)\n.*\n\n/s.exec(lines)?.[1]);
  t.match(lines, `  data   ${data}\n`);
  t.equal((await call(address, 'GET', '/plants', { token: token.trim() })).text, '[]');
  for (const path of ['/docs', '/openapi.yaml', '/openapi.json'])
    t.equal((await call(address, 'GET', path)).status, 200, path);
  service.kill('SIGTERM');
  t.equal(await ended, 0);
});
