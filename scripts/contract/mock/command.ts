/** `npm run mock`: the contract with its own examples for answers, or plants in memory, and no database. */
import { readContract } from '../../../src/contract/document/document.js';
import { openLog } from '../../../src/log/log.js';
import { contractFile } from '../../../src/project.js';
import { readSettings } from '../../../src/settings.js';
import { listen } from '../../../src/start/listening.js';
import { explainCommand, parseArguments } from '../../kit/command.js';
import { buildMock, mockToken } from './app.js';

const help = `Usage: npm run mock [-- --stateful]

Serves openapi/plants.yaml without a database: each answer is an example of the document. Tokens, bodies
and parameters are checked as in the service; nothing is stored. With --stateful, the plants of each token
are kept in memory until the mock ends, and the answers are those of the service.

  ${mockToken}   a token that need not be secret; any other token of this form is another owner

  curl -H 'Prefer: code=409' …                  selects another documented answer
  curl -H 'Prefer: code=400, example=range' …   selects one of its examples

HOST, PORT, CORS_ORIGINS and LOG_LEVEL are the service's settings; here LOG_LEVEL is "warn" by default.`;

async function main(): Promise<void> {
  const { values } = parseArguments({
    options: { stateful: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env });
  const contract = await readContract(contractFile);
  const { logLevel, proxies, corsOrigins } = settings;
  const { stateful = false } = values;
  const app = await buildMock({ contract, log: await openLog(logLevel), proxies, corsOrigins, stateful });
  const address = await listen(app, settings);
  const lines = [
    `The mock of ${contract.document.info.title} is ready at ${address}`,
    `  docs   ${address}/docs`,
    `  token  ${mockToken}`,
    `         (always this one; ${stateful ? 'plants are kept until the mock ends' : 'nothing is stored'})`,
  ];
  process.stderr.write(`\n${lines.join('\n')}\n\n`);
}

main().catch((error) => {
  console.error(explainCommand(error));
  process.exit(1);
});
