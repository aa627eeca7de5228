/**
 * Starts the one PostgreSQL that all contestants are measured on. Its settings are the defaults, except
 * max_connections, and except what counts statements, if they are counted.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Scope } from '../../../contract-tools/base.js';
import { giveToAccount, makeFolder, postmasterOf, startCluster } from '../../../kit/index.js';

/** The number of connections that PostgreSQL has. Each contestant keeps its pool open while others run. */
const connections = 350;

export class Postgres {
  readonly version: string;
  /** The id of the process whose children PostgreSQL's other processes are. */
  readonly postmaster: number;
  readonly #url: string;
  readonly #admin: pg.Client;
  /** The end of the benchmarks, at which PostgreSQL stops. */
  readonly cleanup: Scope;

  readonly #countsStatements: boolean;

  private constructor(
    url: string,
    admin: pg.Client,
    cleanup: Scope,
    version: string,
    postmaster: number,
    countsStatements: boolean,
  ) {
    this.#countsStatements = countsStatements;
    this.#url = url;
    this.#admin = admin;
    this.cleanup = cleanup;
    this.version = version;
    this.postmaster = postmaster;
  }

  /**
   * Starts it in a temporary folder, until the end of the scope.
   *
   * @param countsStatements whether `statements` counts, which takes a little of PostgreSQL's time
   */
  static async start(cleanup: Scope, countsStatements: boolean): Promise<Postgres> {
    const folder = await makeFolder(cleanup);
    // PostgreSQL then runs in that account, too.
    await giveToAccount(folder);
    const { url } = await startCluster(cleanup, folder, {
      max_connections: connections,
      ...(countsStatements ? { shared_preload_libraries: 'pg_stat_statements' } : {}),
    });
    const admin = await connect(url);
    cleanup.teardown(() => admin.end());
    if (countsStatements) await admin.query('CREATE EXTENSION pg_stat_statements');
    const { rows } = await admin.query<{ version: string }>(
      "SELECT current_setting('server_version') AS version",
    );
    const version = rows[0]?.version ?? '';
    return new Postgres(url, admin, cleanup, version, (await postmasterOf(folder)) ?? 0, countsStatements);
  }

  /** Makes an empty database, and a connection to it for the benchmarks themselves. */
  async create(): Promise<{ url: string; client: pg.Client }> {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    await this.#admin.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
    const url = new URL(this.#url);
    url.pathname = `/${name}`;
    const client = await connect(url.href);
    this.cleanup.teardown(() => client.end());
    return { url: url.href, client };
  }

  /** @returns the number of statements that the database of a URL has run; NaN if they are not counted */
  async statements(url: string): Promise<number> {
    if (!this.#countsStatements) return Number.NaN;
    const { rows } = await this.#admin.query<{ calls: string }>(
      `SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements
       JOIN pg_database ON pg_database.oid = dbid WHERE datname = $1`,
      [new URL(url).pathname.slice(1)],
    );
    return Number(rows[0]?.calls);
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'plant-store-bench' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
