/** `npm run mock`: serves the contract's examples, without a database. */
import { mockCommand } from '../packages/contract-mock/index.js';
import { npmRun } from '../packages/service-tools/index.js';

process.exitCode = await mockCommand(process.argv.slice(2), process.env, npmRun('mock'));
