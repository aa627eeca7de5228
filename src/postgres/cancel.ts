import { connect } from 'node:net';
import type pg from 'pg';

/** node-postgres's types leave these fields out. */
interface Cancellable extends pg.PoolClient {
  readonly processID: number;
  readonly secretKey: number;
}

/** The code of a CancelRequest message. */
const cancelRequest = 80_877_102;
const timeoutMs = 2_000;

/**
 * The request has no answer (PostgreSQL documentation, section 54.2.9). statement_timeout is not used,
 * because it would stay in a pooler's session.
 */
export function cancel(client: pg.PoolClient): void {
  // A client from the pool has both (pg 8, lib/client.js).
  const { host, port, processID, secretKey } = client as Cancellable;
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, cancelRequest, processID, secretKey].entries()) {
    request.writeInt32BE(word, 4 * index);
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => {}).setTimeout(timeoutMs, () => socket.destroy());
  // PostgreSQL ends the connection: pgbouncer 1.18 drops a request whose sender has left.
  socket.write(request);
}
