/** Puts a network (tcp-proxy.ts) between programs and PostgreSQL. */
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import type { Scope } from '../../contract-tools/base.js';
import { TcpProxy } from './tcp-proxy.js';

/**
 * @param upstreamDelayMs how much later it arrives at PostgreSQL what programs send
 * @returns the network, and the URL by which the database is reached through it
 */
export async function startDatabaseProxy(
  scope: Scope,
  databaseUrl: string,
  upstreamDelayMs = 0,
): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const url = new URL(databaseUrl);
  const address = addressOf(url);
  const proxy = await TcpProxy.start(scope, () => address, upstreamDelayMs);
  url.host = `127.0.0.1:${proxy.port}`;
  for (const name of ['host', 'port']) url.searchParams.delete(name);
  return { proxy, url: url.href };
}

/** Finds the address of a URL. Its parameters come before its host, as in every driver here. */
function addressOf({ hostname, port, searchParams }: URL): NetConnectOpts {
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const number = Number(searchParams.get('port') ?? (port || 5432));
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${number}`) } : { host, port: number };
}
