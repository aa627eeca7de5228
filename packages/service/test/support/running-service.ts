/** Starts the service within this process, for tools and tests that talk to it. */
import type { FastifyInstance } from 'fastify';
import { plantStore } from '../../../../src/plant-store.js';
import type { Scope } from '../../../contract-tools/base.js';
import { TokenStore } from '../../src/access/token-store.js';
import { buildApp } from '../../src/app.js';
import { defaultTimeouts } from '../../src/http/server.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { Readiness } from '../../src/postgres/readiness.js';
import type { ServiceDefinition } from '../../src/resources/service-of.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { listenIn } from './listen-in.js';
import { patienceMs } from './postgres/database.js';

export interface RunningService {
  readonly app: FastifyInstance;
  readonly address: string;
  readonly tokens: TokenStore;
}

interface ServiceOptions
  extends Omit<Parameters<typeof buildApp>[0], 'parts' | 'checkAnswers' | 'database' | 'readiness'> {
  /** The parts of the plant store if this is left out. */
  readonly parts?: ServiceDefinition;
}

/**
 * Starts the service on a free port and this database, whose tables it makes, until the end of the scope.
 *
 * @throws {DatabaseUnavailableError} if PostgreSQL does not answer
 * @throws {MigrationError} if a migration fails
 * @throws {ContractError} if the contract fits neither the tables nor the handlers
 */
export async function serveOn(
  scope: Scope,
  databaseUrl: string,
  { parts = plantStore, ...server }: ServiceOptions,
): Promise<RunningService> {
  await migrate(databaseUrl, parts.migrationFolders);
  const database = new Database(databaseUrl, () => {}, { statement: patienceMs, connect: patienceMs });
  const readiness = new Readiness(databaseUrl, parts.neededTables);
  scope.teardown(async () => {
    await database.close();
    await readiness.close();
  });
  await checkTables(server.contract, database, parts.tables);
  const timeouts = { ...defaultTimeouts, headerMs: patienceMs, requestMs: patienceMs };
  const app = await buildApp({ timeouts, ...server, parts, database, readiness, checkAnswers: true });
  const address = await listenIn(scope, app);
  return { app, address, tokens: new TokenStore(database) };
}
