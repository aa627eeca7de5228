/** The command codegen. */

import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readContract } from '../../../src/contract/document/document.js';
import { checkContract } from '../../../src/contract/start/check.js';
import { failurePolicy } from '../../../src/http/failure-policy.js';
import { contractFile, projectFolder } from '../../../src/project.js';
import { exitCodeOf, parseArguments } from '../../kit/command.js';
import { generatedFrom } from './contract-types.js';

interface Files {
  /** What is read, and what is written. */
  readonly contract: string;
  readonly types: string;
}

const ownFiles: Files = {
  contract: contractFile,
  types: join(projectFolder, 'generated', 'plants.ts'),
};

/** @returns the exit code */
export function codegen(args: readonly string[], files: Files = ownFiles): Promise<number> {
  return exitCodeOf(() => main(args, files), 1);
}

async function main(args: readonly string[], files: Files): Promise<number> {
  const { values } = parseArguments({
    args: [...args],
    options: { check: { type: 'boolean', default: false } },
  });
  const contract = await readContract(files.contract);
  checkContract(contract, failurePolicy);
  const types = await generatedFrom(contract);
  if (!values.check) {
    await writeFile(files.types, types);
    return 0;
  }
  if ((await readFile(files.types, 'utf8').catch(() => undefined)) === types) return 0;
  console.error(
    `${relative(process.cwd(), files.types)} is stale: run "npm run codegen" and commit the result.`,
  );
  return 1;
}
