/**
 * Lints a contract of this project: by the rules of redocly.yaml and those of the tools.
 */
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { ContractError } from '../../src/schema/contract-error.js';
import { failurePolicy } from '../codegen/failure-policy.js';
import { readContract } from '../codegen/read-contract.js';
import { askSwaggerParser } from '../codegen/second-opinion.js';
import { checkContract } from '../codegen/servable.js';
import type { LintCaller } from '../contract/lint/command.js';
import { lintContract } from '../contract/lint/contract-linters.js';
import type { Problem } from '../contract/lint/problem.js';
import { npmRun } from '../npm/caller.js';

/**
 * @returns the problems, sorted by line
 * @throws {Error} with the code of the file system if the file cannot be read
 */
export async function lintOwnContract(file: string): Promise<Problem[]> {
  return lintContract(file, join(projectFolder, 'redocly.yaml'));
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
