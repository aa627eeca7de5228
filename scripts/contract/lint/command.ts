/**
 * Runs the command lint:contract: prints what Redocly's rules, this project's own rules and the service's
 * start have against a document.
 */

import { relative, resolve } from 'node:path';
import { contractFile } from '../../../src/project.js';
import { ContractError } from '../../../src/schema/contract-error.js';
import { withExcerpts } from '../../../src/schema/excerpt.js';
import { failurePolicy } from '../../codegen/failure-policy.js';
import { readContract } from '../../codegen/read-contract.js';
import { checkContract } from '../../codegen/servable.js';
import { exitCodeOf, parseArguments } from '../kit/command.js';
import { lineOf, lintContract } from './contract-linters.js';
import { onePerFault } from './lint-faults.js';

const help = `Usage: npm run lint:contract [-- FILE]

Checks an OpenAPI document, by default openapi/plants.yaml, against the rules of redocly.yaml, those of
scripts/contract/lint/ and what the service's start asks for. Prints a line for each problem.

  --help   this text

Exit code: 0 if the document keeps every rule; 1 if it does not; 2 if it could not be read.`;

/** @returns the exit code: 0 if the document keeps every rule, 1 if it does not, 2 if it could not be read */
export function lintCommand(args: readonly string[]): Promise<number> {
  return exitCodeOf({ help, args, main: () => main(args) });
}

async function main(args: readonly string[]): Promise<number> {
  const { positionals } = parseArguments({ args: [...args], allowPositionals: true });
  const file = resolve(positionals[0] ?? contractFile);
  const problems = onePerFault(await lintContract(file));
  // What the linters do not look at, or not exactly: the same that codegen and the start say.
  const faults = await readContract(file)
    .then((contract) => checkContract(contract, failurePolicy))
    .catch((error) => {
      if (!(error instanceof ContractError)) throw error;
      return error.message;
    });
  for (const problem of problems) console.log(lineOf(problem));
  if (faults !== undefined) console.log(withExcerpts(faults));
  if (problems.length > 0 || faults !== undefined) return 1;
  console.log(`${relative(process.cwd(), file)} keeps every rule.`);
  return 0;
}
