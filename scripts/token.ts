/** `npm run token`: `plant-store token` on the sources. */
import { runCommand } from '../src/command-line/commands.js';

await runCommand(['token', ...process.argv.slice(2)]);
