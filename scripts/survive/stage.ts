/** PostgreSQL, the service, and a network between them and to the clients. */
import { join } from 'node:path';
import { hashToken, makeToken } from '../../src/access/token.js';
import { migrationFolders } from '../../src/parts.js';
import { migrate } from '../../src/postgres/migrations.js';
import type { Cleanup } from '../bench/cleanup.js';
import type { Command } from '../bench/server.js';
import { Postgres } from './postgres.js';
import { Service } from './service.js';
import { TcpProxy } from './tcp-proxy.js';

export interface Stage {
  readonly postgres: Postgres;
  readonly service: Service;
  readonly clientNetwork: TcpProxy;
  /** Between the service and PostgreSQL; the service reaches its embedded one without a network. */
  readonly databaseNetwork: TcpProxy | undefined;
  /** Where the clients go. */
  readonly url: URL;
  /** Each of another owner: "owner-0", "owner-1" and so on. */
  readonly tokens: readonly string[];
}

export interface StageOptions {
  readonly command: Command;
  /** Whether the service keeps its PostgreSQL itself. */
  readonly embedded: boolean;
  readonly owners: number;
}

export async function openStage(
  cleanup: Cleanup,
  { command, embedded, owners }: StageOptions,
): Promise<Stage> {
  const postgres = await Postgres.start(cleanup);
  await migrate(postgres.url, migrationFolders);
  const tokens = Array.from({ length: owners }, makeToken);
  await postgres.asAdmin((admin) =>
    admin.query(
      `INSERT INTO access_tokens (owner, hash)
       SELECT 'owner-' || (number - 1), decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
      [tokens.map(hashToken)],
    ),
  );
  const databaseNetwork = embedded ? undefined : await networkTo(postgres, cleanup);
  const database = databaseNetwork ? urlThrough(databaseNetwork, postgres) : await postgres.handOver();
  const service = await Service.start(cleanup, command, database);
  const clientNetwork = await TcpProxy.start(cleanup, () =>
    service.port === undefined ? undefined : { host: '127.0.0.1', port: service.port },
  );
  const url = new URL(`http://127.0.0.1:${clientNetwork.port}/`);
  return { postgres, service, clientNetwork, databaseNetwork, url, tokens };
}

async function networkTo(postgres: Postgres, cleanup: Cleanup): Promise<TcpProxy> {
  postgres.keep(cleanup);
  const socket = join(new URL(postgres.url).searchParams.get('host') ?? '', '.s.PGSQL.5432');
  return TcpProxy.start(cleanup, () => ({ path: socket }));
}

function urlThrough({ port }: TcpProxy, postgres: Postgres): string {
  const { username, password, pathname } = new URL(postgres.url);
  return `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}`;
}
