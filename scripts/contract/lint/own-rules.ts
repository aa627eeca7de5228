/** Runs the rules that see what Redocly's do not: members of examples that no schema names. */
import { relative } from 'node:path';
import { ContractError } from '../../../src/schema/contract-error.js';
import { readDocument } from '../document/read-document.js';
import { unknownExampleMembers } from './example-members.js';
import type { Problem } from './problem.js';

/**
 * @param text the text of the file, which is YAML
 * @returns the problems; none if the document is not valid, because Redocly reports that
 */
export function ownProblems(file: string, text: string): Problem[] {
  try {
    return unknownExampleMembers(readDocument(text, relative(process.cwd(), file)).root);
  } catch (error) {
    if (error instanceof ContractError) return [];
    throw error;
  }
}
