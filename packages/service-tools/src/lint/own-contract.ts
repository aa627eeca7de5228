/**
 * Lints a contract of this project: by the rules of redocly.yaml and those of the tools.
 */
import { join } from 'node:path';
import { type LintCaller, type Linted, lintContract, type Problem } from '../../../contract-tools/lint.js';
import { ContractError } from '../../../exact-json/index.js';
import { failurePolicy } from '../codegen/failure-policy.js';
import { contractOfDocument, readContract } from '../codegen/read-contract.js';
import { askSwaggerParser } from '../codegen/second-opinion.js';
import { checkContract } from '../codegen/servable.js';
import { npmRun } from '../npm/caller.js';
import { projectFolder } from '../project.js';

const rules = join(projectFolder, 'redocly.yaml');

/**
 * @returns the problems, sorted by line
 * @throws {Error} with the code of the file system if the file cannot be read
 */
export async function lintOwnContract(file: string): Promise<Problem[]> {
  return (await lintContract(file, rules)).problems;
}

/** The caller of `npm run lint:contract`. */
export const ownLintCaller: LintCaller = {
  ...npmRun('lint:contract'),
  rules:
    "the rules of redocly.yaml,\nthose of packages/contract-tools/src/lint/ and what the service's start asks for",
  async lint(file) {
    const linted = await lintContract(file, rules);
    return { ...linted, otherFaults: await startFaults(file, linted.document) };
  },
};

/**
 * Asks what codegen and the start ask of a contract that the service is to serve.
 *
 * @returns undefined if the service can keep it; else a sentence a line
 */
async function startFaults(file: string, document: Linted['document']): Promise<string | undefined> {
  try {
    if (document === undefined) {
      // Reading a document again that is not valid says why. Nothing asks its patterns.
      await readContract(file);
      return undefined;
    }
    const contract = contractOfDocument(document, file);
    checkContract(contract, failurePolicy);
    await askSwaggerParser(contract.document);
    return undefined;
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.message;
  }
}
