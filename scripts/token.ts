/** `npm run token`: `plant-store token` on the sources. */
import { runProgram } from '../packages/service/src/command-line/commands.js';

await runProgram(['token', ...process.argv.slice(2)]);
