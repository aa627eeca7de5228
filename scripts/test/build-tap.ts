import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';

/** Goes when `npm ci` removes what tap has built. */
const mark = join(projectFolder, 'node_modules', '.tap-is-built');

/**
 * Builds tap for the plugins in .taprc, once. `tap run` would do that too, but only for the next run: it has loaded
 * itself by then, with the loaders of all plugins.
 */
export async function buildTap(): Promise<void> {
  if (existsSync(mark)) return;
  console.log('Building tap for the plugins in .taprc');
  const tap = spawn('tap', ['build'], { cwd: projectFolder, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(tap, 'exit');
  if (code !== 0) throw new Error(`"npx tap build" failed: may this user write to node_modules?`);
  await writeFile(mark, '');
}
