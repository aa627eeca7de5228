import { relative } from 'node:path';
import { ContractError, parseContract } from '../../../src/contract/document/document.js';
import type { Node } from '../diff/node.js';
import type { Problem } from './contract-linters.js';
import { unknownExampleMembers } from './example-members.js';
import { invalidHeaderExamples } from './header-examples.js';

export type ParsedContract = Awaited<ReturnType<typeof parseContract>>;

export interface OwnProblem {
  readonly node: Node;
  readonly rule: string;
  readonly message: string;
}

/** Finds the problems that Redocly's rules do not see. */
export async function ownProblems(file: string, text: string): Promise<Problem[]> {
  const name = relative(process.cwd(), file);
  const contract = await parseContract(text, name).catch((error) => {
    // Redocly reports what is not valid.
    if (error instanceof ContractError) return undefined;
    throw error;
  });
  if (contract === undefined) return [];
  const found = [...unknownExampleMembers(contract), ...invalidHeaderExamples(contract)];
  return found.map(({ node, rule, message }) => {
    const [column, line] = node.place.split(':').reverse().map(Number);
    const place = { line: line ?? 1, column: column ?? 1 };
    return { file: name, ...place, severity: 'error', rule: `contract/${rule}`, message };
  });
}
