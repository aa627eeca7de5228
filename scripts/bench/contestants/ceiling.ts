/** The service with a store that does nothing: what is left is the way of a request, the ceiling of what a store can reach. */
import { buildApp } from '../../../src/app.js';
import { readContract } from '../../../src/contract/document.js';
import { makeLog } from '../../../src/log.js';
import { plantHandlers } from '../../../src/plants/operations.js';
import { PlantStore } from '../../../src/plants/store.js';
import { Database } from '../../../src/postgres/database.js';
import { contractFile } from '../../../src/project.js';
import { readSettings } from '../../../src/settings.js';

const page = Array.from({ length: 20 }, () => ({ name: 'Monstera deliciosa', tag: 'climber' }));

class IdleStore extends PlantStore {
  override async create(_owner: unknown, { id, ...plant }: Parameters<PlantStore['create']>[1]) {
    return plant;
  }
  override async list() {
    return page;
  }
  override async delete() {}
}

const settings = readSettings();
if (settings.database.kind !== 'url') throw new Error('Set DATABASE_URL: the tokens are there.');
// Who is calling is looked up and remembered as in the service.
const database = new Database(settings.database.url, () => {});
const app = await buildApp({
  contract: await readContract(contractFile),
  database,
  handlers: plantHandlers(new IdleStore(database)),
  log: makeLog(settings.logLevel),
});
console.error(`ready at ${await app.listen({ host: settings.host, port: settings.port })}`);
