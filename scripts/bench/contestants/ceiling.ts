/**
 * The service with a store that does nothing: the ceiling of what a store can reach. Requests of one event
 * loop tick are answered together, as in the service. One by one, each write would have to wake the client,
 * which makes it four times as expensive (docs/evidence/benchmark-history.md).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildApp } from '../../../src/app.js';
import { readContract } from '../../../src/contract/document/document.js';
import { makeLog } from '../../../src/log.js';
import { allHandlers, neededTables } from '../../../src/parts.js';
import { plantHandlers } from '../../../src/plants/operations.js';
import { PlantStore } from '../../../src/plants/store.js';
import { plantsTable } from '../../../src/plants/table.js';
import { Database } from '../../../src/postgres/database.js';
import { Readiness } from '../../../src/postgres/readiness.js';
import { contractFile } from '../../../src/project.js';
import { readSettings } from '../../../src/settings.js';
import { columnsOf } from '../../../src/storage/stored-schema.js';

const page = Array.from({ length: 20 }, () => ({ name: 'Monstera deliciosa', tag: 'climber' }));

let turn: Promise<void> | undefined;
function endOfTurn(): Promise<void> {
  turn ??= nextTurn().then(() => {
    turn = undefined;
  });
  return turn;
}

class IdleStore extends PlantStore {
  override async create(_owner: unknown, { id, ...plant }: Parameters<PlantStore['create']>[1]) {
    await endOfTurn();
    return plant;
  }
  override async list() {
    await endOfTurn();
    return page;
  }
  override async delete() {
    await endOfTurn();
    return true;
  }
}

const settings = readSettings();
if (settings.database.kind !== 'url') throw new Error('Set DATABASE_URL: the tokens are there.');
// Callers are looked up and cached as in the service.
const database = new Database(settings.database.url, () => {});
const contract = await readContract(contractFile);
const app = await buildApp({
  contract,
  database,
  readiness: new Readiness(settings.database.url, neededTables),
  handlers: {
    ...(await allHandlers(contract, database)),
    ...plantHandlers(new IdleStore(database, columnsOf(contract, plantsTable))),
  },
  log: makeLog(settings.logLevel),
});
console.error(`ready at ${await app.listen({ host: settings.host, port: settings.port })}`);
