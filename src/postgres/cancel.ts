import { connect } from 'node:net';
import type pg from 'pg';

/**
 * A connection with the key for cancelling that PostgreSQL gave it, which node-postgres's types leave out.
 */
interface Cancellable extends pg.PoolClient {
  readonly processID: number;
  readonly secretKey: number;
}

/** The code of a CancelRequest, which stands where a start-up message has the protocol's version. */
const cancelRequest = 80_877_102;
/** Nobody waits for the request: if it fails, the statement has a second timeout. */
const timeoutMs = 2_000;

/**
 * Asks PostgreSQL to cancel the statement of a connection. The request goes over a connection of its own, and
 * has no answer (PostgreSQL documentation, section 54.2.9). statement_timeout would stay in a session that a
 * pooler shares.
 */
export function cancel(client: pg.PoolClient): void {
  // Both are set once it is connected, as one from the pool is (pg 8, lib/client.js).
  const { host, port, processID, secretKey } = client as Cancellable;
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, cancelRequest, processID, secretKey].entries()) {
    request.writeInt32BE(word, 4 * index);
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => {}).setTimeout(timeoutMs, () => socket.destroy());
  // PostgreSQL ends the connection, because pgbouncer 1.18 drops a request whose sender has left.
  socket.write(request);
}
