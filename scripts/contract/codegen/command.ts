/** The command codegen. */

import { relative } from 'node:path';
import { readContract } from '../../../src/contract/document/document.js';
import { checkContract } from '../../../src/contract/start/check.js';
import { failurePolicy } from '../../../src/http/failure-policy.js';
import { contractFile } from '../../../src/project.js';
import { exitCodeOf, parseArguments } from '../../kit/command.js';
import { generate, ownGenerated, staleFiles } from './generated.js';

const help = `Usage: npm run codegen [-- --check]

Writes what follows from openapi/plants.yaml to generated/: the types, and the document.

  --check   writes nothing, and says which files are stale
  --help    this text

Exit code: 0; 1 if --check finds a stale file; 2 if there can be no types, such as of a faulty document.`;

interface Places {
  readonly contract: string;
  /** The folder that is written. */
  readonly generated: string;
}

const ownPlaces: Places = { contract: contractFile, generated: ownGenerated };

/** @returns the exit code */
export function codegen(args: readonly string[], places: Places = ownPlaces): Promise<number> {
  return exitCodeOf({ help, args, main: () => main(args, places) });
}

async function main(args: readonly string[], places: Places): Promise<number> {
  const { values } = parseArguments({
    args: [...args],
    options: { check: { type: 'boolean', default: false } },
  });
  const contract = await readContract(places.contract);
  checkContract(contract, failurePolicy);
  if (!values.check) {
    await generate(contract, places.generated);
    return 0;
  }
  const stale = await staleFiles(contract, places.generated);
  for (const file of stale)
    console.error(`${relative(process.cwd(), file)} is stale: run "npm run codegen" and commit the result.`);
  return stale.length === 0 ? 0 : 1;
}
