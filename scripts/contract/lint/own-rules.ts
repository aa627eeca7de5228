/** Runs the rules that see what Redocly's do not: members of examples that no schema names. */
import { relative } from 'node:path';
import { ContractError } from '../../../src/schema/contract-error.js';
import { parseContract } from '../document/document.js';
import { unknownExampleMembers } from './example-members.js';
import type { Problem } from './problem.js';

/**
 * @param text the text of the file, which is YAML
 * @returns the problems; none if the document is not valid, because Redocly reports that
 */
export async function ownProblems(file: string, text: string): Promise<Problem[]> {
  const name = relative(process.cwd(), file);
  const contract = await parseContract(text, name).catch((error) => {
    if (error instanceof ContractError) return undefined;
    throw error;
  });
  if (contract === undefined) return [];
  return unknownExampleMembers(contract);
}
