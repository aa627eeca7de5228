/**
 * Starts what is under fire: PostgreSQL, replicas of the service, and the networks between them and to the
 * clients.
 */
import type { NetConnectOpts } from 'node:net';
import type { Scope } from '../../../contract-tools/base.js';
import {
  type Command,
  fixedPorts,
  Pgbouncer,
  Server,
  startDatabaseProxy,
  startHaproxy,
  storeTokens,
  TcpProxy,
} from '../../../kit/index.js';
import { keepRunning } from './keep-running.js';
import { LogDisk } from './log-disk.js';
import { Postgres } from './postgres.js';
import { Service } from './service.js';
import type { Subject } from './subject.js';

export interface Stage {
  readonly subject: Subject;
  readonly postgres: Postgres;
  /** The processes of the service. If there are several, HAProxy is in front of them. */
  readonly replicas: readonly Service[];
  readonly pooler: Pgbouncer | undefined;
  readonly clientNetwork: TcpProxy;
  /** The disk behind the standard output of all replicas; undefined if none can be made. */
  readonly logDisk: LogDisk | undefined;
  /**
   * The network from each replica to PostgreSQL, or the one from the pooler. There is none if the service
   * keeps its PostgreSQL itself.
   */
  readonly databaseNetworks: readonly TcpProxy[];
  /** The URL that clients use. */
  readonly url: URL;
  /** A token for each owner: "owner-0", "owner-1" and so on. */
  readonly tokens: readonly string[];
}

interface StageOptions {
  readonly command: Command;
  readonly subject: Subject;
  /** Whether the service keeps its PostgreSQL itself. */
  readonly embedded: boolean;
  readonly replicas: number;
  /** The path of pgbouncer if it is to stand between the service and PostgreSQL. */
  readonly pgbouncer: string | undefined;
  readonly owners: number;
}

/** The number of connections that PostgreSQL has: few more than the replicas use. */
const connectionsFor = (replicas: number): number => 20 + 20 * replicas;
/** HAProxy notices the end of a replica within this time. */
const drainOfReplica = { DRAIN_SECONDS: '2' };

/**
 * Starts everything, until the end of the scope.
 *
 * @throws {ProgramError} if the service does not start
 * @throws {ProgramError} if PostgreSQL does not start
 */
export async function openStage(cleanup: Scope, options: StageOptions): Promise<Stage> {
  const postgres = await Postgres.start(cleanup, connectionsFor(options.replicas));
  // The first start of a service makes its tables, whatever service it is.
  const first = await Server.start(cleanup, options.command, postgres.url);
  await first.stop();
  const tokens = await storeTokens(postgres.url, options.owners);
  const logDisk = await LogDisk.make(cleanup);
  const serving = options.embedded
    ? await serveEmbedded(cleanup, postgres, options, logDisk)
    : await serve(cleanup, postgres, options, logDisk);
  const clientNetwork = await TcpProxy.start(cleanup, serving.front);
  const url = new URL(`http://127.0.0.1:${clientNetwork.port}/`);
  const { subject } = options;
  return { subject, postgres, ...serving, clientNetwork, logDisk, url, tokens };
}

interface Serving extends Pick<Stage, 'replicas' | 'pooler' | 'databaseNetworks'> {
  /** Clients connect to this address. It is undefined while nobody listens. */
  readonly front: () => NetConnectOpts | undefined;
}

async function serveEmbedded(
  cleanup: Scope,
  postgres: Postgres,
  { command }: StageOptions,
  logDisk: LogDisk | undefined,
): Promise<Serving> {
  const service = await Service.start(cleanup, command, await postgres.handOver(), {}, logDisk?.file);
  return { replicas: [service], pooler: undefined, databaseNetworks: [], front: frontOf(service) };
}

async function serve(
  cleanup: Scope,
  postgres: Postgres,
  { command, replicas: count, pgbouncer }: StageOptions,
  logDisk: LogDisk | undefined,
): Promise<Serving> {
  postgres.keep(cleanup);
  const start = async (database: string, settings = {}) =>
    Service.start(cleanup, command, database, settings, logDisk?.file);
  const makeNetwork = async () => startDatabaseProxy(cleanup, postgres.url);
  const networks = await Promise.all(Array.from({ length: pgbouncer ? 1 : count }, makeNetwork));
  const urls = networks.map(({ url }) => url);
  const [firstUrl = ''] = urls;
  const pooler = pgbouncer === undefined ? undefined : await keepPooler(cleanup, pgbouncer, firstUrl);
  const common = { pooler, databaseNetworks: networks.map(({ proxy }) => proxy) };
  if (count === 1) {
    const service = await start(pooler?.url ?? firstUrl);
    return { ...common, replicas: [service], front: frontOf(service) };
  }
  const ports = await fixedPorts(count);
  const replicas = await Promise.all(
    ports.map((port, at) => start(pooler?.url ?? urls[at] ?? '', { PORT: String(port), ...drainOfReplica })),
  );
  const { port } = await startHaproxy(cleanup, ports);
  return { ...common, replicas, front: () => ({ host: '127.0.0.1', port }) };
}

async function keepPooler(cleanup: Scope, program: string, databaseUrl: string): Promise<Pgbouncer> {
  const pooler = await Pgbouncer.start(cleanup, { program, databaseUrl });
  keepRunning(cleanup, {
    ended: () => pooler.ended(),
    start: () => pooler.start(),
    end: () => pooler.end(),
  });
  return pooler;
}

function frontOf(service: Service): Serving['front'] {
  return () => (service.port === undefined ? undefined : { host: '127.0.0.1', port: service.port });
}
