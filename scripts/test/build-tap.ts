import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';

/** What tap is built to, which names its plugins. */
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

/**
 * Builds tap without the plugins that .taprc excludes, if it still has them, as after each `npm ci`. `tap
 * run` would do that too, but only for the next run: it has loaded itself by then, with the loaders of all
 * plugins.
 */
export async function buildTap(): Promise<void> {
  const [built, settings] = await Promise.all(
    [builtFile, join(projectFolder, '.taprc')].map((file) => readFile(file, 'utf8')),
  );
  const excluded = settings?.matchAll(/"!(.+)"/g) ?? [];
  if (![...excluded].some(([, name = '']) => built?.includes(name))) return;
  console.log('Building tap without the plugins that .taprc excludes');
  // The compiler writes its errors to stdout.
  const tap = spawn('tap', ['build'], { cwd: projectFolder, stdio: ['ignore', 2, 2] });
  const [code] = await once(tap, 'exit');
  if (code !== 0)
    throw new Error('tap could not be built: see above. It writes to node_modules/@tapjs/test.');
}
