/**
 * Sends one statement on one connection, with a time limit of the service's own. PostgreSQL's limit does not
 * help if PostgreSQL, or the network, is silent.
 */
import type pg from 'pg';
import type { QueryResult, QueryResultRow } from 'pg';
import { UnreadableAnswerError } from './guarded-client.js';

/** A statement, as node-postgres takes it. */
export interface Query {
  /** Undefined if the statement is not prepared. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: unknown[];
  readonly rowMode?: 'array' | undefined;
}

/**
 * Sends a statement on a connection.
 *
 * @throws {Error} if there is no answer within `timeoutMs`: PostgreSQL may still run the statement, so the
 * caller must close the connection
 * @throws {Error} of pg, if PostgreSQL refuses the statement or the connection breaks
 */
export function send<Row extends QueryResultRow>(
  client: pg.ClientBase,
  query: Query,
  timeoutMs: number,
): Promise<QueryResult<Row>> {
  // With promises or query_timeout, pg 8.23 keeps each result until a full garbage collection.
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
    client.query<Row>(query, (error, result) => {
      clearTimeout(late);
      if (error) reject(error instanceof SyntaxError ? new UnreadableAnswerError(error) : error);
      else resolve(result);
    });
  });
}
