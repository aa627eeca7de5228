/**
 * Plays a network between a contestant and PostgreSQL: all bytes to PostgreSQL arrive later, in their order,
 * without waiting for answers. It is a program of its own, so that it shares no event loop with a contestant.
 * Its parameter is the delay in milliseconds. It prints the URL by which the database of DATABASE_URL is
 * reached through it.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';

const delay = Number(process.argv[2]);
const url = new URL(process.env['DATABASE_URL'] ?? '');

/** What waits for its time. Everything waits equally long, so what came first goes first. */
const waiting: { readonly due: number; deliver(): void }[] = [];

function later(deliver: () => void): void {
  waiting.push({ due: performance.now() + delay, deliver });
  if (waiting.length === 1) setTimeout(deliverAll, delay);
}

/**
 * Delivers what is due, or will be within half a millisecond, because timers know whole milliseconds only.
 */
function deliverAll(): void {
  const now = performance.now() + 0.5;
  while (waiting[0] !== undefined && waiting[0].due <= now) waiting.shift()?.deliver();
  if (waiting[0] !== undefined) setTimeout(deliverAll, waiting[0].due - now);
}

function upstream({ hostname, port, searchParams }: URL): NetConnectOpts {
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const number = Number(searchParams.get('port') ?? (port || 5432));
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${number}`) } : { host, port: number };
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
  const far = connect({ ...upstream(url), allowHalfOpen: true, noDelay: true });
  near.on('data', (chunk) => later(() => far.write(chunk))).on('end', () => later(() => far.end()));
  far.on('data', (chunk) => near.write(chunk)).on('end', () => near.end());
  for (const socket of [near, far]) {
    socket.on('error', () => {
      near.destroy();
      far.destroy();
    });
  }
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// The server listens on TCP, so its address has this form.
const { port } = server.address() as AddressInfo;
const through = new URL(url);
through.host = `127.0.0.1:${port}`;
for (const name of ['host', 'port']) through.searchParams.delete(name);
console.error(`ready at ${through}`);
