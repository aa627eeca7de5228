/** The command codegen. */

import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readContract } from '../../../src/contract/document/document.js';
import { checkContract } from '../../../src/contract/start/check.js';
import { failurePolicy } from '../../../src/http/failure-policy.js';
import { contractFile, projectFolder } from '../../../src/project.js';
import { exitCodeOf, parseArguments } from '../../kit/command.js';
import { generatedFrom } from './contract-types.js';

const help = `Usage: npm run codegen [-- --check]

Writes the types of openapi/plants.yaml to generated/plants.ts.

  --check   writes nothing, and says whether the file is stale
  --help    this text

Exit code: 0; 1 if --check finds a stale file; 2 if there can be no types, such as of a faulty document.`;

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
  return exitCodeOf({ help, args, main: () => main(args, files) });
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
