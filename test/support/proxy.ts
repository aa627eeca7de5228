import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';

export interface Proxy {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  /** From now on, nothing passes on existing connections. */
  silence(): void;
  /** From now on, no new connection is accepted; existing ones stay. */
  refuse(): void;
}

/** A proxy before the PostgreSQL of the tests that simulates failures of the network. */
export async function startProxy(t: Pick<Test, 'teardown'>, databaseUrl: string): Promise<Proxy> {
  const { username, password, pathname, searchParams } = new URL(databaseUrl);
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    const postgres = connect(
      join(searchParams.get('host') ?? '', `.s.PGSQL.${searchParams.get('port') ?? 5432}`),
    );
    connections.push(socket, postgres);
    for (const connection of [socket, postgres]) connection.on('error', () => {});
    socket.pipe(postgres).pipe(socket);
  });
  t.teardown(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('It does not listen.');
  return {
    url: `postgresql://${username}:${password}@127.0.0.1:${address.port}${pathname}`,
    silence() {
      for (const connection of connections) connection.unpipe().pause();
    },
    refuse() {
      server.close();
    },
  };
}
