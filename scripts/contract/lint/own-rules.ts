/**
 * Runs the rules of this project, which see what Redocly's do not: members of examples that no schema names,
 * and answers that the packed client could not read exactly.
 */
import { relative, resolve } from 'node:path';
import { operationsOf } from '../../../src/contract/document/operations.js';
import { contractFile } from '../../../src/project.js';
import { ContractError } from '../../../src/schema/contract-error.js';
import { roundedAnswers } from '../../pack/rounded-answers.js';
import type { Node } from '../diff/node.js';
import { parseContract } from '../document/document.js';
import type { Problem } from './contract-linters.js';
import { unknownExampleMembers } from './example-members.js';

export type ParsedContract = Awaited<ReturnType<typeof parseContract>>;

export interface OwnProblem {
  readonly node: Node;
  readonly rule: string;
  readonly message: string;
}

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
  const found = unknownExampleMembers(contract).map(({ node, ...problem }) => ({
    place: node.place,
    ...problem,
  }));
  // Only this contract is packed. Services of other contracts may answer with any int64.
  const unpackable = resolve(file) === contractFile ? answersThatPackRefuses(contract) : [];
  return [...found, ...unpackable].map(({ place, rule, message }) => {
    const [column, line] = place.split(':').reverse().map(Number);
    return {
      file: name,
      line: line ?? 1,
      column: column ?? 1,
      severity: 'error',
      rule: `contract/${rule}`,
      message,
    };
  });
}

/**
 * Finds answers with an int64. Operations may have faults, which the start reports; then there are none here.
 */
function answersThatPackRefuses({ resolved, place }: ParsedContract) {
  try {
    return roundedAnswers(operationsOf(resolved, place)).map(({ operation, place }) => ({
      place,
      rule: 'int64-in-an-answer',
      message: `Clients that read JSON as doubles lose digits of the int64 in this answer of ${operation}, and npm run pack:contract refuses it: use a string or an int32.`,
    }));
  } catch (error) {
    if (error instanceof ContractError) return [];
    throw error;
  }
}
