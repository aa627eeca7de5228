/**
 * `npm run codegen`: openapi/plants.yaml → generated/plants.ts.
 * `npm run codegen -- --check` writes nothing, and exits 1 if the file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readContract } from '../src/contract/document/document.js';
import { checkContract } from '../src/contract/start/check.js';
import { contractFile, projectFolder } from '../src/project.js';
import { generatedFrom } from './codegen/contract-types.js';
import { parseArguments, runCommand } from './kit/command.js';

const target = join(projectFolder, 'generated', 'plants.ts');

async function main(): Promise<number> {
  const { values } = parseArguments({ options: { check: { type: 'boolean', default: false } } });
  const contract = await readContract(contractFile);
  checkContract(contract);
  const types = await generatedFrom(contract);
  if (!values.check) {
    await writeFile(target, types);
    return 0;
  }
  if ((await readFile(target, 'utf8').catch(() => undefined)) === types) return 0;
  console.error(`${relative(process.cwd(), target)} is stale: run "npm run codegen" and commit the result.`);
  return 1;
}

await runCommand(main, 1);
