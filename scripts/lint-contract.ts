/**
 * `npm run lint:contract`: checks openapi/plants.yaml against the rules of redocly.yaml and .spectral.js.
 * Prints one line for each problem of any severity, and exits 1 if there is one. `-- FILE` lints another
 * document.
 */
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ContractError, readContract } from '../src/contract/document/document.js';
import { withExcerpts } from '../src/contract/document/excerpt.js';
import { checkContract } from '../src/contract/start/check.js';
import { contractFile } from '../src/project.js';
import { lineOf, lintContract } from './lint/contract-linters.js';
import { onePerFault } from './lint/lint-faults.js';

const { positionals } = parseArgs({ allowPositionals: true });
const file = resolve(positionals[0] ?? contractFile);
const problems = onePerFault(await lintContract(file));
// codegen and the start find these faults, too. The linters do not.
const faults = await readContract(file)
  .then(checkContract)
  .catch((error) => {
    if (!(error instanceof ContractError)) throw error;
    return error.message;
  });
if (problems.length === 0 && faults === undefined)
  console.log(`${relative(process.cwd(), file)} keeps every rule.`);
for (const problem of problems) console.log(lineOf(problem));
if (faults !== undefined) console.log(withExcerpts(faults));
process.exitCode = problems.length === 0 && faults === undefined ? 0 : 1;
