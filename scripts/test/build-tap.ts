/**
 * Makes tap forget the plugins that .taprc excludes. Each of them has a loader, which slows every process of
 * a run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';

/** The build of tap writes this file, which names its plugins. */
const builtFile = join(
  projectFolder,
  'node_modules',
  '@tapjs',
  'test',
  'test-built',
  'dist',
  'esm',
  'index.js',
);

/** Lists the packages of tap that .taprc excludes. */
export async function excludedPlugins(): Promise<string[]> {
  const settings = await readFile(join(projectFolder, '.taprc'), 'utf8');
  return Array.from(settings.matchAll(/"!(.+)"/g), ([, name = '']) => name);
}

/**
 * Builds tap without the plugins that .taprc excludes, if it still has them, as after each `npm ci`. `tap
 * run` would do that too, but only for the next run: it has loaded itself by then, with the loaders of all
 * plugins. That takes six seconds, so only runs that count coverage do it: the others leave these plugins out
 * of their bundle (compiled.ts).
 *
 * @throws {Error} if tap cannot be built
 */
export async function buildTap(): Promise<void> {
  const built = await readFile(builtFile, 'utf8');
  if (!(await excludedPlugins()).some((name) => built.includes(name))) return;
  console.log('Building tap without the plugins that .taprc excludes');
  // The compiler writes its errors to stdout.
  const tap = spawn('tap', ['build'], { cwd: projectFolder, stdio: ['ignore', 2, 2] });
  const [code] = await once(tap, 'exit');
  if (code !== 0)
    throw new Error('tap could not be built: see above. It writes to node_modules/@tapjs/test.');
}
