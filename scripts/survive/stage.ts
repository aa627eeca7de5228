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
  /** Between the clients and the service, and between the service and PostgreSQL. */
  readonly clientNetwork: TcpProxy;
  readonly databaseNetwork: TcpProxy;
  /** Where the clients go. */
  readonly url: URL;
  /** Each of another owner: "owner-0", "owner-1" and so on. */
  readonly tokens: readonly string[];
}

export async function openStage(cleanup: Cleanup, command: Command, owners: number): Promise<Stage> {
  const postgres = await Postgres.start(cleanup);
  const { username, password, pathname, searchParams } = new URL(postgres.url);
  const socket = join(searchParams.get('host') ?? '', '.s.PGSQL.5432');
  await migrate(postgres.url, migrationFolders);
  const tokens = Array.from({ length: owners }, makeToken);
  await postgres.asAdmin((admin) =>
    admin.query(
      `INSERT INTO access_tokens (owner, hash)
       SELECT 'owner-' || (number - 1), decode(hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS token (hash, number)`,
      [tokens.map(hashToken)],
    ),
  );
  const databaseNetwork = await TcpProxy.start(cleanup, () => ({ path: socket }));
  const databaseUrl = `postgresql://${username}:${password}@127.0.0.1:${databaseNetwork.port}${pathname}`;
  const service = await Service.start(cleanup, command, databaseUrl);
  const clientNetwork = await TcpProxy.start(cleanup, () =>
    service.port === undefined ? undefined : { host: '127.0.0.1', port: service.port },
  );
  const url = new URL(`http://127.0.0.1:${clientNetwork.port}/`);
  return { postgres, service, clientNetwork, databaseNetwork, url, tokens };
}
