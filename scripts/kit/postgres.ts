import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { giveToAccount } from './account.js';
import { startCluster } from './embedded-postgres.js';
import { makeFolder } from './folder.js';
import { parentNamed } from './kernel.js';
import type { Scope } from './scope.js';

/** Each contestant keeps its pool open while others run, and pgbench needs 64 connections. */
const neededConnections = 350;

/** The one PostgreSQL that all contestants are measured on. */
export class Postgres {
  readonly #url: string;
  readonly #admin: pg.Client;
  readonly #cleanup: Scope;
  readonly description: string;

  private constructor(url: string, admin: pg.Client, cleanup: Scope, description: string) {
    this.#url = url;
    this.#admin = admin;
    this.#cleanup = cleanup;
    this.description = description;
  }

  /**
   * Opens a given PostgreSQL, or a temporary one whose settings are the defaults, but for max_connections.
   */
  static async open(givenUrl: string | undefined, cleanup: Scope): Promise<Postgres> {
    const url = givenUrl ?? (await startOwn(cleanup));
    const admin = await connect(url);
    cleanup.teardown(() => admin.end());
    const { rows } = await admin.query<{ name: string; setting: string }>(
      "SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'fsync', 'synchronous_commit', 'max_connections')",
    );
    const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
    if (settings.get('fsync') !== 'on' || settings.get('synchronous_commit') !== 'on') {
      throw new Error(
        'This PostgreSQL answers before a commit is durable: set fsync and synchronous_commit on.',
      );
    }
    if (Number(settings.get('max_connections')) < neededConnections) {
      throw new Error(
        `The contestants need a PostgreSQL with max_connections of at least ${neededConnections}.`,
      );
    }
    const origin = givenUrl === undefined ? 'embedded, on a Unix socket' : 'given by --database-url';
    const description = `PostgreSQL ${settings.get('server_version')}, ${origin}, fsync on`;
    return new Postgres(url, admin, cleanup, description);
  }

  /**
   * @returns the process whose children PostgreSQL's other processes are; undefined if it is on another
   * machine
   */
  async postmaster(): Promise<number | undefined> {
    const { rows } = await this.#admin.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return parentNamed('postgres', rows[0]?.pid ?? 0);
  }

  /** Makes an empty database, and a connection to it for the benchmarks themselves. */
  async create(): Promise<{ url: string; client: pg.Client }> {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    await this.#admin.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
    this.#cleanup.teardown(() => this.#admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
    const url = new URL(this.#url);
    url.pathname = `/${name}`;
    const client = await connect(url.href);
    this.#cleanup.teardown(() => client.end());
    return { url: url.href, client };
  }
}

async function startOwn(cleanup: Scope): Promise<string> {
  const folder = await makeFolder(cleanup);
  // PostgreSQL then runs in that account, too, so that pgbouncer can enter the folder of its socket.
  await giveToAccount(folder);
  return (await startCluster(cleanup, folder, { max_connections: neededConnections })).url;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'plant-store-bench' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
