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
 * The cost: over TLS, node-postgres reads from another socket, so there a RangeError ends the process.
 */
import { Socket } from 'node:net';

/** An error of the connection: sqlstate.ts knows those by the name `Error`. */
export class UnreadableAnswerError extends Error {
  constructor(cause: unknown) {
    super('the answer is no message of PostgreSQL', { cause });
  }
}

/** A socket for node-postgres. What a reader of its data throws breaks the connection. */
export class AnswerSocket extends Socket {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    try {
      return super.emit(event, ...values);
    } catch (error) {
      if (event !== 'data') throw error;
      this.destroy(new UnreadableAnswerError(error));
      return true;
    }
  }
}
