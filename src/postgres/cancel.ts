import { connect } from 'node:net';
import type pg from 'pg';

/** What node-postgres knows of a connection, and its types leave out: the key that the server gave for cancelling. */
interface Cancellable extends pg.PoolClient {
  readonly processID: number;
  readonly secretKey: number;
}

/** Of a CancelRequest, in place of a version of the protocol. */
const cancelRequest = 80_877_102;
/** Milliseconds. Nobody waits for it: the statement ends by it, or by a timeout of its own. */
const patience = 2_000;

/**
 * Asks PostgreSQL to give up what the connection is running: a request without an answer, on a connection of
 * its own, unencrypted (PostgreSQL documentation, 54.2.9 "Canceling Requests in Progress"). pgbouncer passes
 * it on. In contrast to the setting statement_timeout, it leaves nothing behind in a session that a pooler
 * shares with others.
 */
export function cancel(client: pg.PoolClient): void {
  // Both are set once it is connected, as one from the pool is (pg 8, lib/client.js).
  const { host, port, processID, secretKey } = client as Cancellable;
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, cancelRequest, processID, secretKey].entries()) {
    request.writeInt32BE(word, 4 * index);
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // Where it cannot be sent, the statement has a second timeout.
  socket.on('error', () => {}).setTimeout(patience, () => socket.destroy());
  // It is PostgreSQL that ends the connection: pgbouncer (1.18) forgets a request whose sender has left.
  socket.write(request);
}
