/**
 * The life of the process: it starts, serves until a signal, and ends.
 *
 * The order of the start has two reasons. What fails most often comes first: settings, ports, the database.
 * And nobody can connect before everything works, so the port is opened last. Whatever the start opens adds a
 * function to `closers`.
 *
 * The end goes in steps, so that a load balancer can send its clients elsewhere before the port is closed:
 *
 * 1. The first signal begins the drain. `/ready` says 503, and answers close their connections
 *    (http/connection-header.ts), but every request is still served.
 * 2. After DRAIN_SECONDS, or at a second signal, `closers` are called in reverse order. First the port
 *    closes. Requests in flight have 10 s to be answered.
 * 3. Then the database closes, and after it an embedded PostgreSQL.
 * 4. 15 s after the drain, the process ends, whatever is still open.
 *
 * For example, with 5 s for the drain, a list that takes 8 s and came just before the signal is answered 3 s
 * after the port was closed. docs/connections.md, "The end of the service", tells what clients see of that.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isatty } from 'node:tty';
import type { FastifyInstance } from 'fastify';
import type { JwtOwners } from './access/jwt-owners.js';
import { removeOldTokens } from './access/old-tokens.js';
import { TokenStore } from './access/token-store.js';
import { requestsWaiting } from './fairness/fair-queue.js';
import { maxLists } from './fairness/long-lists.js';
import { checkReady } from './http/health.js';
import { listen, tryToListen } from './http/listening.js';
import { type Log, openLog, toggleDebug } from './log/log.js';
import { standardOutput } from './log/output.js';
import { surviveLostErrors } from './log/standard-streams.js';
import type { Observed } from './observability/metrics.js';
import { Database, defaultLimits } from './postgres/database.js';
import { Readiness } from './postgres/readiness.js';
import type { Report } from './postgres/report.js';
import { tokenCommand } from './project.js';
import type { ServiceDefinition } from './resources/service-of.js';
import { misspeltSettings, readSettings, type Settings } from './settings.js';
import { explainFailure } from './start/explain-failure.js';
import { type LoadEmbedded, type PostgresInUse, useEmbedded } from './start/postgres-in-use.js';
import { prepareTables } from './start/prepare-tables.js';
import { type EndSignals, watchSignals } from './start/signals.js';
import { waitForDatabase } from './start/wait-for-database.js';

/** How long a start that was asked to end may go on. */
const startGraceMs = 15_000;
/** How long requests in flight have after the drain (docs/connections.md). */
const requestsGraceMs = 10_000;
/** How long everything has after the drain. An embedded PostgreSQL that needs longer ends by itself. */
const everythingGraceMs = 15_000;
/** How long the token is good that a start with an embedded PostgreSQL prints. */
const readyTokenLifetimeMs = 24 * 60 * 60 * 1000;

/** Functions that close what the start has opened, in the order of the opening. */
type Closers = (() => Promise<void>)[];

/**
 * Serves until a signal, and ends the process: with exit code 0 after a signal, and with 1 if the start
 * failed. stderr says why.
 */
export async function runService(
  parts: ServiceDefinition,
  embedded: LoadEmbedded | undefined,
): Promise<never> {
  surviveLostErrors();
  const closers: Closers = [];
  const signals = watchSignals([0, 1, 2].some((descriptor) => isatty(descriptor)));
  const code = await serve(parts, embedded, closers, signals).then(
    () => 0,
    (error) => {
      if (signals.end.aborted) return 0;
      console.error(explainFailure(error));
      return 1;
    },
  );
  await Promise.race([close(closers), pause(everythingGraceMs)]);
  await standardOutput.flush();
  process.exit(code);
}

/** Starts, and returns after the drain. It throws what has made the start fail. */
async function serve(
  parts: ServiceDefinition,
  embedded: LoadEmbedded | undefined,
  closers: Closers,
  { end, hurry }: EndSignals,
): Promise<void> {
  const ended = once(end, 'abort');
  const settings = readSettings();
  for (const sentence of misspeltSettings()) console.error(sentence);
  // A PostgreSQL that is still starting is not among the closers yet, so its start gets some time to come to
  // its end.
  const endedInStart = ended.then(() => pause(startGraceMs)).then(() => end.throwIfAborted());
  await Promise.race([start(parts, embedded, settings, closers, end), endedInStart]);
  await ended;
  await pause(settings.drainMs, undefined, { signal: hurry }).catch(() => {});
}

/**
 * Closes what the start has opened, the last one first. A failure is printed, and does not keep the others
 * open.
 */
async function close(closers: Closers): Promise<void> {
  for (const closeOne of closers.reverse()) {
    await closeOne().catch((error) => console.error(explainFailure(error)));
  }
}

async function start(
  parts: ServiceDefinition,
  embedded: LoadEmbedded | undefined,
  settings: Settings,
  closers: Closers,
  end: AbortSignal,
): Promise<void> {
  // A port that is taken must be told before anything slow.
  await tryToListen(settings);
  if (settings.admin !== undefined) await tryToListen(settings.admin, 'ADMIN_PORT');
  const log = await openLog(settings.logLevel);
  process.on('SIGUSR2', () => toggleDebug(log, settings.logLevel));
  const contract = await parts.readContract();
  // Node.js loads Fastify and its plugins while PostgreSQL works. A failure to load them is told below, after
  // what has to be closed is known.
  const loading = import('./app.js');
  loading.catch(() => {});
  const report: Report = (error, message) => log.warn({ err: error }, message);
  const postgres = await openPostgres(settings, embedded, report, end);
  closers.push(() => postgres.stop());
  const database = new Database(postgres.url, report);
  closers.push(() => database.close());
  const readiness = new Readiness(postgres.url, parts.neededTables);
  closers.push(() => readiness.close());
  await prepareTables(parts, contract, postgres.url, database, {
    breaking: settings.breakingMigrations,
    warn: (message) => log.warn(message),
    signal: end,
  });

  const { buildApp } = await loading;
  const tokens = new TokenStore(database);
  closers.push(removeOldTokens(tokens, log));
  const { proxies, corsOrigins, checkAnswers, maxConnections, maxRequestsInFlight, requestsPerSecond } =
    settings;
  const jwts = await acceptJwts(settings, log, closers);
  const app = await buildApp({
    parts,
    contract,
    database,
    readiness,
    jwts,
    log,
    proxies,
    corsOrigins,
    checkAnswers,
    maxConnections,
    maxRequestsInFlight,
    requestsPerSecond,
    ending: end,
  });
  const versions = { build: parts.project.version, contract: contract.version };
  const observed: Observed = {
    versions,
    checkReady: () => checkReady(readiness, end),
    newestMigration: () => readiness.newestMigration(),
    issuerKeysAgeMs: jwts && (() => jwts.keysAgeMs),
    connections: () => database.connections,
    requestsWaiting,
    limits: {
      connections: maxConnections,
      requestsInFlight: maxRequestsInFlight,
      databaseConnections: defaultLimits.connections,
      longLists: maxLists.all,
    },
    log: standardOutput.state,
  };
  const adminAddress = await serveAdmin(settings, observed, closers);
  closers.push(() => closeWithin(app, requestsGraceMs));

  end.throwIfAborted();
  end.addEventListener('abort', () => log.info({ drainSeconds: settings.drainMs / 1_000 }, 'ending'));
  const address = await listen(app, settings);
  await printReadyLines(contract.title, { address, adminAddress }, settings, tokens);
}

/** Waits for the PostgreSQL of DATABASE_URL, or starts the embedded one. */
async function openPostgres(
  { database, databaseWaitMs }: Settings,
  embedded: LoadEmbedded | undefined,
  report: Report,
  end: AbortSignal,
): Promise<PostgresInUse> {
  if (database.kind === 'url') {
    await waitForDatabase(database.url, databaseWaitMs, end);
    return { url: database.url, stop: async () => {} };
  }
  // A person at a terminal should know why the first start takes some seconds.
  if (process.stderr.isTTY && !existsSync(database.folder))
    process.stderr.write(`Making a database in ${database.folder} …\n`);
  return useEmbedded(embedded, ({ startEmbedded }) => startEmbedded(database.folder, report));
}

/** @returns undefined if the settings accept no JWTs */
async function acceptJwts({ jwt }: Settings, log: Log, closers: Closers): Promise<JwtOwners | undefined> {
  if (jwt === undefined) return undefined;
  const { JwtOwners } = await import('./access/jwt-owners.js');
  const jwts = new JwtOwners(jwt, log);
  closers.push(async () => jwts.close());
  return jwts;
}

/** @returns the address of the port for operators; undefined if the settings ask for none */
async function serveAdmin(
  { admin: address }: Settings,
  observed: Observed,
  closers: Closers,
): Promise<string | undefined> {
  if (address === undefined) return undefined;
  const { makeAdmin } = await import('./observability/admin.js');
  const admin = makeAdmin(observed);
  closers.push(() => admin.close());
  return listen(admin, address, 'ADMIN_PORT');
}

/** Closes the app, and cuts its connections if requests are still in flight after the timeout. */
async function closeWithin(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  await app.close();
  clearTimeout(cut);
}

/**
 * Prints the address, and how to get a token, on stderr. A terminal also gets a token for a day. Nothing else
 * does: stderr that goes into a file or a journal is kept, and read by more people.
 */
async function printReadyLines(
  title: string,
  { address, adminAddress }: { address: string; adminAddress: string | undefined },
  settings: Settings,
  tokens: TokenStore,
): Promise<void> {
  const lines = [`${title} is ready at ${address}`, `  docs   ${address}/docs`];
  if (adminAddress !== undefined) lines.push(`  admin  ${adminAddress}/metrics`);
  const isEmbedded = settings.database.kind === 'embedded';
  if (isEmbedded) lines.push(`  data   ${settings.database.folder}`);
  if (isEmbedded && process.stderr.isTTY) {
    const token = await tokens.issue('demo', readyTokenLifetimeMs);
    lines.push(`  token  ${token}`, '         (owner "demo", good for one day)');
  } else {
    lines.push(`  token  ${tokenCommand} issue OWNER`);
  }
  // process.stderr would end the process if its disk is full, and console.error does not.
  console.error(`\n${lines.join('\n')}\n`);
}
