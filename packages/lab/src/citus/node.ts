/** One PostgreSQL of a cluster, on the loopback interface, which is started again whenever it ends. */
import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import type { Scope } from '../../../contract-tools/base.js';
import { childrenOf, fixedPorts, giveToAccount, InstalledPostgres, send } from '../../../kit/index.js';
import { keepRunning } from '../survive/keep-running.js';

const databaseName = 'plants';

interface NodeOptions {
  readonly programs: string;
  /** A folder that does not exist yet. */
  readonly folder: string;
  /** Lines of postgresql.conf. */
  readonly settings: readonly string[];
}

export class PostgresNode {
  readonly #postgres: InstalledPostgres;

  private constructor(postgres: InstalledPostgres) {
    this.#postgres = postgres;
  }

  /**
   * Makes and starts a PostgreSQL with the empty database "plants".
   *
   * @throws {Error} if it does not answer within a minute
   */
  static async start(scope: Scope, options: NodeOptions): Promise<PostgresNode> {
    await mkdir(options.folder);
    await giveToAccount(options.folder);
    const [port = 0] = await fixedPorts(1);
    const postgres = await InstalledPostgres.create({ ...options, port, isOnTcp: true });
    scope.teardown(() => postgres.stop('SIGQUIT'));
    await postgres.start();
    const node = new PostgresNode(postgres);
    await node.ask(`CREATE DATABASE ${databaseName}`, 'postgres');
    keepRunning(scope, {
      ended: () => postgres.ended(),
      start: () => postgres.start(),
      end: () => postgres.stop('SIGQUIT'),
    });
    return node;
  }

  get port(): number {
    return this.#postgres.port;
  }

  get url(): string {
    return this.#postgres.url(databaseName);
  }

  /**
   * Runs a statement on a connection of its own.
   *
   * @throws {pg.DatabaseError} if PostgreSQL refuses it
   */
  async ask<Row extends pg.QueryResultRow>(text: string, database = databaseName): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#postgres.url(database) });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Kills all its processes at once. */
  async kill(): Promise<void> {
    const { pid } = this.#postgres;
    const pids = pid === undefined ? [] : [pid, ...(await childrenOf(pid))];
    for (const one of pids) send('SIGKILL', one);
  }
}
