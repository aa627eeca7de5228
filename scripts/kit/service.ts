/** The real service, for tools and tests that talk to it. */
import type { FastifyInstance } from 'fastify';
import { TokenStore } from '../../src/access/token-store.js';
import { buildApp } from '../../src/app.js';
import { defaultTimeouts } from '../../src/http/server.js';
import { migrationFolders, neededTables, storedSchemas } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { Readiness } from '../../src/postgres/readiness.js';
import { checkTables } from '../../src/storage/check-tables.js';
import { listenIn } from './listen.js';
import type { Scope } from './scope.js';

export interface RunningService {
  readonly app: FastifyInstance;
  readonly address: string;
  readonly tokens: TokenStore;
}

/** Milliseconds for a statement, for a connection, and for a request. */
const patience = 60_000;

/** Starts the service on a free port and this database, whose tables it makes. */
export async function serveOn(
  scope: Scope,
  databaseUrl: string,
  parts: Omit<Parameters<typeof buildApp>[0], 'checkAnswers' | 'database' | 'readiness'>,
): Promise<RunningService> {
  await migrate(databaseUrl, migrationFolders);
  // Not the service's own timeouts: on a busy machine, they would end what is not meant to be slow.
  const database = new Database(databaseUrl, () => {}, { statement: patience, connect: patience });
  const readiness = new Readiness(databaseUrl, neededTables);
  scope.teardown(async () => {
    await database.close();
    await readiness.close();
  });
  await checkTables(parts.contract, database, storedSchemas);
  const timeouts = { ...defaultTimeouts, header: patience, request: patience };
  const app = await buildApp({ timeouts, ...parts, database, readiness, checkAnswers: true });
  const address = await listenIn(scope, app);
  return { app, address, tokens: new TokenStore(database) };
}
