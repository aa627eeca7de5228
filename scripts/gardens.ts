/** Runs `npm run gardens`, the service of examples/gardens. */
import { runCommand } from '../packages/contract-tools/src/base/run-command.js';
import { explainServiceCommand } from '../packages/service-tools/src/npm/explain.js';

const help = `Usage: npm run gardens

Serves examples/gardens from the sources, on the settings of \`npm start\` (docs/settings.md).

Exit code: 0 if a signal ended it; 1 if it could not start.`;

const main = async (): Promise<number> => {
  // The service ends the process.
  await import('../examples/gardens/main.js');
  return 0;
};

await runCommand({ help, main, explain: explainServiceCommand });
