/**
 * `npm run lint:contract`: openapi/plants.yaml against the rules of redocly.yaml and .spectral.js. One line
 * per problem, whatever its severity, and exit 1 where there is one. `-- FILE` lints another document.
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
// What the linters do not look at, or not exactly: the same that codegen and the start say.
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
