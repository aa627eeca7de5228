import type pg from 'pg';
import type { QueryResult, QueryResultRow } from 'pg';

export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Sends a statement on a connection.
 *
 * @throws if there is no answer in time: PostgreSQL may still run the statement, so the connection is to be
 * closed
 */
export function send<Row extends QueryResultRow>(
  client: pg.PoolClient,
  { name, text, values }: Query,
  timeoutMs: number,
): Promise<QueryResult<Row>> {
  // With promises or query_timeout, pg 8.23 keeps each result until a full garbage collection.
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
    client.query<Row>({ ...(name !== undefined && { name }), text, values }, (error, result) => {
      clearTimeout(late);
      if (error) reject(error);
      else resolve(result);
    });
  });
}
