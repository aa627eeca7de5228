/**
 * The metrics for Prometheus. docs/operations/README.md lists their names and labels.
 *
 * There are two kinds. What happens is counted when its event comes (`countEvents`). What is there at the
 * moment, such as open connections to PostgreSQL, is asked for at each scrape (`readGauges`).
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { events } from './events.js';

/** What the metrics ask the service at each scrape. */
export interface Observed {
  readonly versions: { readonly build: string; readonly contract: string };
  /** @throws {Error} whose message says why the service is not ready */
  checkReady(): Promise<unknown>;
  /** @throws {Error} if the database cannot be asked */
  newestMigration(): Promise<string | undefined>;
  /** The age of the keys with which JWTs are checked; left out if none are accepted. */
  readonly issuerKeysAgeMs?: (() => number) | undefined;
  /** Connections to PostgreSQL; `waiting` counts statements that wait for one. */
  connections(): { readonly open: number; readonly idle: number; readonly waiting: number };
  /** Requests that wait for a statement. */
  requestsWaiting(): number;
  /** How many there may be at the same time: connections of clients, connections to PostgreSQL, and so on. */
  readonly limits: {
    readonly connections: number;
    readonly requestsInFlight: number;
    readonly databaseConnections: number;
    readonly longLists: number;
  };
  readonly log: { readonly isFailing: boolean; readonly lostLines: number };
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizeBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/**
 * Begins to count, which ends with the process. Call it once, because each call would count every event
 * again.
 *
 * @returns the registry, which writes all metrics
 */
export function startMetrics(observed: Observed): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  readGauges(registry, observed);
  countEvents(registry);
  return registry;
}

function countEvents(registry: Registry): void {
  const registers = [registry];
  const duration = new Histogram({
    name: 'plant_store_request_duration_seconds',
    help: 'Time from a request to the end of its answer. `operation` is empty outside of the contract.',
    labelNames: ['operation', 'status'],
    buckets: secondsBuckets,
    registers,
  });
  const refusals = new Counter({
    name: 'plant_store_refusals_total',
    help: 'Requests that failed before or in their operation.',
    labelNames: ['reason'],
    registers,
  });
  const batchSize = new Histogram({
    name: 'plant_store_batch_size',
    help: 'Requests that share a statement.',
    labelNames: ['work'],
    buckets: sizeBuckets,
    registers,
  });
  const batchWait = new Histogram({
    name: 'plant_store_batch_wait_seconds',
    help: 'Time that the oldest request of a batch waited for its statement.',
    labelNames: ['work'],
    buckets: secondsBuckets,
    registers,
  });
  const statements = new Histogram({
    name: 'plant_store_statement_duration_seconds',
    help: 'Time from sending a statement to the answer of PostgreSQL, or to its failure.',
    labelNames: ['statement'],
    buckets: secondsBuckets,
    registers,
  });
  const connectionWait = new Histogram({
    name: 'plant_store_database_connection_wait_seconds',
    help: 'Time that a statement waited for a connection to PostgreSQL.',
    buckets: secondsBuckets,
    registers,
  });
  const databaseErrors = new Counter({
    name: 'plant_store_database_errors_total',
    help: 'Statements that failed, by class of SQLSTATE; "none" if PostgreSQL did not answer.',
    labelNames: ['class'],
    registers,
  });
  const longLists = new Gauge({
    name: 'plant_store_long_lists',
    help: 'Lists of several pages that are being read.',
    registers,
  });
  const connections = new Gauge({
    name: 'plant_store_connections',
    help: 'Open connections of clients.',
    registers,
  });
  const cuts = new Counter({
    name: 'plant_store_connections_cut_total',
    help: 'Connections that the service closed, because of too many, of a CONNECT, or of too many pipelined requests.',
    labelNames: ['reason'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'plant_store_requests_in_flight',
    help: 'Requests that wait for the end of their answer.',
    registers,
  });

  events
    .on('requestBegan', () => inFlight.inc())
    .on('requestEnded', (request, { raw, statusCode }, durationMs) => {
      inFlight.dec();
      const operation = request.routeOptions.config.operation?.id ?? '';
      const status = raw.headersSent ? statusCode : 'unanswered';
      duration.observe({ operation, status }, durationMs / 1_000);
    })
    .on('refused', (reason) => refusals.inc({ reason }))
    .on('batchBegan', (work, { length }, waitMs) => {
      batchSize.observe({ work }, length);
      batchWait.observe({ work }, waitMs / 1_000);
    })
    .on('longLists', (count) => longLists.set(count))
    .on('connections', (count) => connections.set(count))
    .on('connectionCut', (reason) => cuts.inc({ reason }))
    .on('databaseFailed', (sqlStateClass) => databaseErrors.inc({ class: sqlStateClass }))
    .on('connectionAwaited', (waitMs) => connectionWait.observe(waitMs / 1_000));
  timeStatements(statements);
}

/** Observes the time of each statement that is sent, from its event to that of its end. */
function timeStatements(histogram: Histogram<'statement'>): void {
  const sent = new WeakMap<object, () => number>();
  const end = (statement?: object): void => {
    if (statement !== undefined) sent.get(statement)?.();
  };
  events
    .on('statementBegan', (statement, name) => sent.set(statement, histogram.startTimer({ statement: name })))
    .on('statementEnded', end)
    .on('databaseFailed', (_class, statement) => end(statement));
}

/** Adds the metrics that are read at each scrape. */
function readGauges(registry: Registry, observed: Observed): void {
  const registers = [registry];
  const addGauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  };
  new Gauge({
    name: 'plant_store_info',
    help: 'Always 1. Its labels are the versions of the service and of its contract.',
    labelNames: ['build', 'contract'],
    registers,
  }).set(observed.versions, 1);
  new Gauge({
    name: 'plant_store_database_connections',
    help: 'Connections of requests to PostgreSQL.',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle } = observed.connections();
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'busy' }, open - idle);
    },
  });
  const { limits } = observed;
  for (const [name, help, limit] of [
    ['plant_store_max_connections', 'Connections of clients that there may be.', limits.connections],
    [
      'plant_store_max_requests_in_flight',
      'Requests with a good token that may be in flight.',
      limits.requestsInFlight,
    ],
    [
      'plant_store_max_database_connections',
      'Connections of requests to PostgreSQL that there may be.',
      limits.databaseConnections,
    ],
    ['plant_store_max_long_lists', 'Lists of several pages that may be read.', limits.longLists],
  ] as const)
    new Gauge({ name, help, registers }).set(limit);
  addGauge('plant_store_ready', 'Whether /ready answers 200.', () =>
    observed.checkReady().then(
      () => 1,
      () => 0,
    ),
  );
  new Gauge({
    name: 'plant_store_newest_migration_info',
    help: 'Always 1. Its label is the last migration, in order of name, that is applied.',
    labelNames: ['name'],
    registers,
    async collect() {
      // A scrape must work without the database. Then there is no value, because an old one could be wrong.
      const name = await observed.newestMigration().catch(() => undefined);
      this.reset();
      if (name !== undefined) this.set({ name }, 1);
    },
  });
  const { issuerKeysAgeMs } = observed;
  if (issuerKeysAgeMs !== undefined)
    addGauge(
      'plant_store_issuer_keys_age_seconds',
      'Time since the fetch that brought the keys of JWT_ISSUER.',
      () => issuerKeysAgeMs() / 1_000,
    );
  addGauge(
    'plant_store_statements_waiting',
    'Statements that wait for a connection.',
    () => observed.connections().waiting,
  );
  addGauge('plant_store_requests_waiting', 'Requests that wait for a statement.', observed.requestsWaiting);
  addGauge('plant_store_log_failing', 'Whether the log cannot be written, as on a full disk.', () =>
    Number(observed.log.isFailing),
  );
  addGauge(
    'plant_store_log_lines_lost',
    'Lines of the log that could not be written, since the start.',
    () => observed.log.lostLines,
  );
}
