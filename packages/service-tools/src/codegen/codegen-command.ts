/**
 * Runs the command codegen: reads each contract, refuses one that the service could not keep, and writes what
 * follows from it, or says which files are stale.
 */

import { relative } from 'node:path';
import { exitCodeOf, parseArguments } from '../../../contract-tools/base.js';
import { refuseSlowPatterns } from '../../../contract-tools/patterns.js';
import { explainServiceCommand } from '../npm/explain.js';
import { contractFile, generatedFolder } from '../project.js';
import { failurePolicy } from './failure-policy.js';
import { generate, staleFiles } from './generated.js';
import { readContract } from './read-contract.js';
import { checkContract } from './servable.js';

const help = `Usage: npm run codegen [-- --check]

Writes what follows from the YAML in openapi/ to generated/: the types, and the document.

  --check   writes nothing, and says which files are stale
  --help    this text

Exit code: 0; 1 if --check finds a stale file; 2 if there can be no types, such as of a faulty document.`;

export interface ContractPlaces {
  readonly contract: string;
  /** The folder that is written. */
  readonly generated: string;
}

const ownPlaces: readonly ContractPlaces[] = [{ contract: contractFile, generated: generatedFolder }];

/** @returns the exit code: 0 if all is written or fresh, 1 if a file is stale, 2 if a contract is faulty */
export function codegen(
  args: readonly string[],
  places: readonly ContractPlaces[] = ownPlaces,
): Promise<number> {
  return exitCodeOf({ help, args, main: () => main(args, places), explain: explainServiceCommand });
}

async function main(args: readonly string[], places: readonly ContractPlaces[]): Promise<number> {
  const { values } = parseArguments({
    args: [...args],
    options: { check: { type: 'boolean', default: false } },
  });
  const stale: string[] = [];
  for (const place of places) {
    const contract = await readContract(place.contract);
    await refuseSlowPatterns(contract.root);
    checkContract(contract, failurePolicy);
    if (values.check) stale.push(...(await staleFiles(contract, place.generated)));
    else await generate(contract, place.generated);
  }
  for (const file of stale)
    console.error(`${relative(process.cwd(), file)} is stale: run "npm run codegen" and commit the result.`);
  return stale.length === 0 ? 0 : 1;
}
