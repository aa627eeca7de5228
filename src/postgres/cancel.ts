import { connect } from 'node:net';
import type pg from 'pg';

/** Missing in node-postgres's types. */
interface Cancellable extends pg.PoolClient {
  readonly processID: number;
  readonly secretKey: number;
}

/** A CancelRequest's code. */
const cancelRequest = 80_877_102;
const timeoutMs = 2_000;

/** PostgreSQL documentation, section 54.2.9. A statement_timeout would stay in a pooler's session. */
export function cancel(client: pg.PoolClient): void {
  // The pool's clients have both (pg 8, lib/client.js).
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
