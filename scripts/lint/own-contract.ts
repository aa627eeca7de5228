/**
 * Lints a contract of this project: by the rules of redocly.yaml and those of the tools, and, for the plant
 * store's own, by what its packages ask for.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { contractFile, projectFolder } from '../../src/project.js';
import { ContractError } from '../../src/schema/contract-error.js';
import { failurePolicy } from '../codegen/failure-policy.js';
import { readContract, readContractText } from '../codegen/read-contract.js';
import { askSwaggerParser } from '../codegen/second-opinion.js';
import { checkContract } from '../codegen/servable.js';
import type { LintCaller } from '../contract/lint/command.js';
import { lintContract } from '../contract/lint/contract-linters.js';
import { type Problem, problemAt } from '../contract/lint/problem.js';
import { npmRun } from '../npm/caller.js';
import { roundedAnswers } from '../pack/rounded-answers.js';

/**
 * @returns the problems, sorted by line
 * @throws {Error} with the code of the file system if the file cannot be read
 */
export async function lintOwnContract(file: string): Promise<Problem[]> {
  const problems = await lintContract(file, join(projectFolder, 'redocly.yaml'));
  // Only this contract is packed. Services of other contracts may answer with any int64.
  if (resolve(file) !== contractFile) return problems;
  return [...problems, ...(await answersThatPackRefuses(file, await readFile(file, 'utf8')))];
}

/** The caller of `npm run lint:contract`. */
export const ownLintCaller: LintCaller = {
  ...npmRun('lint:contract'),
  rules: "the rules of redocly.yaml,\nthose of scripts/contract/lint/ and what the service's start asks for",
  lint: lintOwnContract,
  otherFaults: startFaults,
};

/**
 * Asks what codegen and the start ask of a contract that the service is to serve.
 *
 * @returns undefined if the service can keep it; else a sentence a line
 */
async function startFaults(file: string): Promise<string | undefined> {
  try {
    const contract = await readContract(file);
    checkContract(contract, failurePolicy);
    await askSwaggerParser(contract.document);
    return undefined;
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.message;
  }
}

/**
 * Finds answers with an int64; none if the document has faults, which the start reports.
 *
 * @param text the text of the file
 */
export async function answersThatPackRefuses(file: string, text: string): Promise<Problem[]> {
  try {
    return roundedAnswers((await readContractText(text, file)).operations).map(({ operation, place: at }) =>
      problemAt(
        at,
        'int64-in-an-answer',
        `Clients that read JSON as doubles lose digits of the int64 in this answer of ${operation}, and npm run pack:contract refuses it: use a string or an int32.`,
      ),
    );
  } catch (error) {
    if (error instanceof ContractError) return [];
    throw error;
  }
}
