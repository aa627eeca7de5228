/** `npm run check:contract -- --url URL`: checks that a running server keeps the contract. */
import { checkCommand } from '../packages/contract-tools/check.js';
import { npmRun } from '../packages/service-tools/index.js';

process.exitCode = await checkCommand(process.argv.slice(2), process.env, npmRun('check:contract'));
