import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { digest } from '../generated/plants.js';
import { removeOldTokens } from './access/old-tokens.js';
import { TokenStore } from './access/token-store.js';
import { buildApp } from './app.js';
import { readContract } from './contract/document/document.js';
import { checkContract } from './contract/start/check.js';
import { checkGenerated } from './contract/start/digest.js';
import type { EmbeddedPostgres } from './embedded-postgres/embedded.js';
import { openLog } from './log.js';
import { migrationFolders, storedSchemas } from './parts.js';
import { Database } from './postgres/database.js';
import { migrate } from './postgres/migrations.js';
import { contractFile } from './project.js';
import { readSettings, type Settings } from './settings.js';
import { explainFailure } from './start/explain-failure.js';
import { listen, tryToListen } from './start/listening.js';
import { tryDatabase } from './start/try-database.js';
import { checkTables } from './storage/check-tables.js';

/** Milliseconds. An embedded PostgreSQL that needs longer ends by itself. */
const grace = { requests: 10_000, everything: 15_000 };
/** Milliseconds until the printed token expires. */
const readyTokenLifetime = 24 * 60 * 60 * 1000;

type Closers = (() => Promise<void>)[];

async function main(): Promise<never> {
  const closers: Closers = [];
  const asked = new Promise<number>((resolve) => {
    // Not once(), because a Ctrl-C comes twice: from the terminal and from npm.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(0));
  });
  // The exit code: 1 if the start fails, otherwise 0 after a signal.
  const started = start(closers).then(
    () => asked,
    (error) => {
      console.error(explainFailure(error));
      return 1;
    },
  );
  const code = await Promise.race([asked, started]);
  await Promise.race([end(started, closers), pause(grace.everything)]);
  process.exit(code);
}

/** Waits for the start, because `closers` lacks a PostgreSQL that is still starting. */
async function end(started: Promise<unknown>, closers: Closers): Promise<void> {
  await started;
  for (const close of closers.reverse()) await close();
}

async function start(closers: Closers): Promise<void> {
  const settings = readSettings();
  // Finds wrong settings before anything slow begins.
  await tryToListen(settings);
  if (settings.database.kind === 'url') await tryDatabase(settings.database.url);
  const log = await openLog(settings.logLevel);
  const contract = await readContract(contractFile);
  checkContract(contract);
  checkGenerated(contract, digest);

  const postgres = await startPostgres(settings, log);
  closers.push(() => postgres.stop());

  const database = new Database(postgres.url, (error, message) => log.warn({ err: error }, message));
  closers.push(() => database.close());

  await migrate(postgres.url, migrationFolders, (tables) => checkTables(contract, tables, storedSchemas));
  const tokens = new TokenStore(database);
  closers.push(removeOldTokens(tokens, log));
  const { proxies, corsOrigins, checkAnswers } = settings;
  const app = await buildApp({ contract, database, log, proxies, corsOrigins, checkAnswers });
  closers.push(() => {
    log.info('ending');
    return closeWithin(app, grace.requests);
  });

  const address = await listen(app, settings);
  await printReadyLines(address, settings, tokens);
}

async function startPostgres({ database }: Settings, log: Logger): Promise<EmbeddedPostgres> {
  if (database.kind === 'url') return { url: database.url, stop: async () => {} };
  // The first start takes some seconds.
  if (process.stderr.isTTY && !existsSync(database.folder))
    process.stderr.write(`Making a database in ${database.folder} …\n`);
  const { startEmbedded } = await import('./embedded-postgres/embedded.js');
  return startEmbedded(database.folder, (error) =>
    log.error({ err: error }, 'the embedded PostgreSQL is down'),
  );
}

async function closeWithin(app: FastifyInstance, milliseconds: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), milliseconds);
  await app.close();
  clearTimeout(cut);
}

/** On stderr, because the log on stdout never shows a token. */
async function printReadyLines(address: string, settings: Settings, tokens: TokenStore): Promise<void> {
  const lines = [`Plant Store is ready at ${address}`, `  docs   ${address}/docs`];
  if (settings.database.kind === 'embedded') {
    const token = await tokens.issue('demo', readyTokenLifetime);
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

await main();
