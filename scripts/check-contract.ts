/** `npm run check:contract -- --url URL`: checks that a running server keeps the contract. */
import { checkCommand } from './contract/check/command.js';
import { npmRun } from './npm/caller.js';

process.exitCode = await checkCommand(process.argv.slice(2), process.env, npmRun('check:contract'));
