/**
 * What happens if an answer of the database cannot be read.
 *
 * If the connection between pgbouncer 1.18 and PostgreSQL breaks in the middle of a row, pgbouncer writes an
 * error of its own where the rest of the row should be. node-postgres then reads a part of that error as a
 * number or as a length. A number that is none is a SyntaxError of BigInt, which node-postgres passes to the
 * query (send.ts). A length that is beyond the answer is a RangeError, which it throws while it reads. Nobody
 * would catch that one, so it would end the process.
 *
 * In both cases, nobody knows what became of the statement, as after any broken connection. So both become an
 * `UnreadableAnswerError`, and the connection is closed.
 *
 * This file is the one exception to the rule that only documented ways are used. node-postgres documents no
 * way to see what its reader throws: an application can give it a socket (`stream`), but over TLS it makes
 * another socket on top of that one, and reads from there. So this client finds the socket that is read as
 * `connection.stream`, which has types but no documentation, and puts a `try` around its reader. A version of
 * node-postgres without these two events would fail packages/service/test/postgres/broken-row.test.ts.
 *
 * The exception can go once node-postgres reports what its reader throws as an error of the connection.
 */
import pg from 'pg';

/** An error of the connection: sqlstate.ts knows those by the name `Error`. */
export class UnreadableAnswerError extends Error {
  constructor(cause: unknown) {
    super('the answer is no message of PostgreSQL', { cause });
  }
}

/** A client of node-postgres. An answer that it cannot read breaks its connection, and not the process. */
export class GuardedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The event comes before the first answer, when node-postgres has added its reader to the socket.
    this.connection.once(this.ssl ? 'sslconnect' : 'connect', () => guardReader(this.connection.stream));
  }
}

function guardReader(socket: pg.Connection['stream']): void {
  for (const read of socket.listeners('data')) {
    socket.on('data', (bytes) => {
      try {
        read.call(socket, bytes);
      } catch (error) {
        socket.destroy(new UnreadableAnswerError(error));
      }
    });
    socket.off('data', read as (bytes: Buffer) => void);
  }
}
