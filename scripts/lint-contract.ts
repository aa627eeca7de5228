/**
 * `npm run lint:contract`: openapi/plants.yaml against the rules of redocly.yaml and .spectral.js. One line
 * per problem, whatever its severity, and exit 1 where there is one. `-- FILE` lints another document.
 */
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contractFile } from '../src/project.js';
import { lineOf, lintContract } from './contract-linters.js';

const { positionals } = parseArgs({ allowPositionals: true });
const file = resolve(positionals[0] ?? contractFile);
const problems = await lintContract(file);
if (problems.length === 0) console.log(`${relative(process.cwd(), file)} keeps every rule.`);
for (const problem of problems) console.log(lineOf(problem));
process.exitCode = problems.length === 0 ? 0 : 1;
