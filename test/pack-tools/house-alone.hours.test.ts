/** The tools can leave: with the one folder that they share with the service, they are a project of their own. */
import { execFile } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { makeFolder } from '../../packages/kit/testing.js';

t.setTimeout(3_600_000);

const tools = join('scripts', 'contract');
const shared = join('src', 'schema');
/** The mock is made of the service's layer, which stays. */
const stays = ['mock', join('test', 'mock')];

t.test(
  'the tests of the tools pass in a folder that has the tools and packages/service/src/schema/ only',
  async (t) => {
    const folder = await makeFolder(t);
    const isSource = (path: string) => !['node_modules', '.tap'].includes(basename(path));
    for (const part of [tools, shared])
      await cp(join(projectFolder, part), join(folder, part), { recursive: true, filter: isSource });
    for (const part of stays) await rm(join(folder, tools, part), { recursive: true });
    // As a workspace, so that packages/service/src/schema/ finds the packages of the tools.
    const manifest = { name: 'elsewhere', private: true, type: 'module', workspaces: [tools] };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const npm = async (...parameters: string[]) => {
      // What tap says to its own processes is not for those of the copy.
      const env = { ...process.env, NODE_OPTIONS: '', TAP: '' };
      const options = { cwd: folder, env, maxBuffer: 64 * 2 ** 20 };
      return promisify(execFile)('npm', parameters, options).catch((error) => {
        const failed = String(error.stdout).match(/^(?:not ok|✖) .*$|Cannot find (?:module|package) .*$/gm);
        throw new Error(`npm ${parameters[0]}: ${failed?.join('\n') ?? error.message}`);
      });
    };
    await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
    const { stdout } = await npm('test', `--workspace=${tools}`);
    t.match(stdout, /^. fail 0$/m);
  },
);
