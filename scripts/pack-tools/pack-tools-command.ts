/** Runs `npm run pack:tools`: packs check, diff and mock as an npm package, for any folder. */
import { join, relative, resolve } from 'node:path';
import { parseArguments, runCommand } from '../../packages/contract-tools/base.js';
import { projectFolder } from '../../packages/kit/index.js';
import { packTarball } from '../pack/tarball.js';
import { toolsFiles } from './files.js';

const help = `Usage: npm run pack:tools [-- --out FOLDER]

Packs check:contract, diff:contract and mock as the npm package @plant-store/contract-tools, whose programs
check-contract, diff-contract and mock-contract work in any folder.

  --out FOLDER   where the tarball goes; by default dist/
  --help         this text

Exit code: 0; 2 if it could not be packed.`;

async function main(): Promise<number> {
  const { values } = parseArguments({
    options: { out: { type: 'string', default: join(projectFolder, 'dist') } },
  });
  const tarball = await packTarball(await toolsFiles(), resolve(values.out));
  console.log(relative(process.cwd(), tarball));
  return 0;
}

await runCommand({ help, main });
