/** `npm run mock`: serves the contract's examples, without a database. */
import { mockCommand } from './contract/mock/command.js';
import { npmRun } from './npm/caller.js';

process.exitCode = await mockCommand(process.argv.slice(2), process.env, npmRun('mock'));
