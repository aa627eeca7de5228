/** The service with a store that does nothing: what is left is the way of a request, the ceiling of what a store can reach. */
import { buildApp } from '../../../src/app.js';
import { readContract } from '../../../src/contract/document.js';
import { makeLog } from '../../../src/log.js';
import type { Plants } from '../../../src/plants/operations.js';
import { Database } from '../../../src/postgres/database.js';
import { contractFile } from '../../../src/project.js';
import { readSettings } from '../../../src/settings.js';

const page = Array.from({ length: 20 }, () => ({ name: 'Monstera deliciosa', tag: 'climber' }));

const plants: Plants = {
  create: async (_owner, { id, ...plant }) => plant,
  list: async function* () {
    yield page;
  },
  delete: async () => {},
};

const settings = readSettings();
if (settings.database.kind !== 'url') throw new Error('Set DATABASE_URL: the tokens are there.');
const app = await buildApp({
  contract: await readContract(contractFile),
  database: new Database(settings.database.url, () => {}),
  log: makeLog(settings.logLevel),
  plants,
});
console.error(`ready at ${await app.listen({ host: settings.host, port: settings.port })}`);
