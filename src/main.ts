import { existsSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { TokenStore } from './access/token-store.js';
import { buildApp } from './app.js';
import { readContract } from './contract/document.js';
import { makeLog } from './log.js';
import { Database } from './postgres/database.js';
import { type EmbeddedPostgres, startEmbedded } from './postgres/embedded.js';
import { migrate } from './postgres/migrations.js';
import { contractFile, migrationFolders } from './project.js';
import { readSettings, type Settings } from './settings.js';
import { explainFailure } from './start-failure.js';

/** Milliseconds that requests under way have to finish once the service shall end. */
const grace = 10_000;
/** Milliseconds that the token printed at the start is good for. */
const readyTokenLifetime = 24 * 60 * 60 * 1000;

/** The process: settings → database → app → listen → signals. */
async function main(): Promise<void> {
  const settings = readSettings();
  const log = makeLog(settings.logLevel);
  const contract = await readContract(contractFile);
  const postgres = await startPostgres(settings, log);
  const database = new Database(postgres.url, (error) =>
    log.warn({ err: error }, 'lost a database connection'),
  );
  let app: FastifyInstance | undefined;

  const end = async (code: number): Promise<never> => {
    if (app !== undefined) await closeWithin(app, grace);
    await database.close();
    await postgres.stop();
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'ending');
      void end(0);
    });
  }

  try {
    await migrate(postgres.url, migrationFolders);
    app = await buildApp({ contract, database, log, proxies: settings.proxies });
    const address = await app.listen({ host: settings.host, port: settings.port });
    await printReadyLines(address, settings, database);
  } catch (error) {
    console.error(explainFailure(error));
    await end(1);
  }
}

async function startPostgres({ database }: Settings, log: Logger): Promise<EmbeddedPostgres> {
  if (database.kind === 'url') return { url: database.url, stop: async () => {} };
  // The one wait of some seconds, and only the first time.
  if (!existsSync(database.folder)) process.stderr.write(`Making a database in ${database.folder} …\n`);
  return startEmbedded(database.folder, (error) =>
    log.error({ err: error }, 'the embedded PostgreSQL is down'),
  );
}

/** Requests under way are answered; connections that are still open when the time is over are cut. */
async function closeWithin(app: FastifyInstance, milliseconds: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), milliseconds);
  await app.close();
  clearTimeout(cut);
}

/** For the person at the terminal, and so on stderr: stdout has the log, and no log line has a token. */
async function printReadyLines(address: string, settings: Settings, database: Database): Promise<void> {
  const lines = [`Plant Store is ready at ${address}`, `  docs   ${address}/docs`];
  if (settings.database.kind === 'embedded') {
    const token = await new TokenStore(database).issue('demo', readyTokenLifetime);
    lines.push(
      `  data   ${settings.database.folder}`,
      `  token  ${token}`,
      '         (owner "demo", good for one day)',
    );
  } else {
    lines.push('  token  npm run --silent token -- issue OWNER');
  }
  process.stderr.write(`\n${lines.join('\n')}\n\n`);
}

main().catch((error) => {
  console.error(explainFailure(error));
  process.exit(1);
});
