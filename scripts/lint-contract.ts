/**
 * `npm run lint:contract`: checks openapi/plants.yaml against the rules of redocly.yaml, of
 * packages/contract-tools/src/lint/ and of the service's start. Prints one line for each problem of any severity, and
 * exits 1 if there is one. `-- FILE` lints another document.
 */
import { lintCommand } from '../packages/contract-tools/lint.js';
import { ownLintCaller } from '../packages/service-tools/lint.js';

process.exitCode = await lintCommand(process.argv.slice(2), ownLintCaller);
