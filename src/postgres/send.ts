import type pg from 'pg';
import type { QueryResult, QueryResultRow } from 'pg';

export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

const lateMs = 2_000;

/** @param onTimeout is to end the statement; two seconds later, its outcome counts as unknown */
export function send<Row extends QueryResultRow>(
  client: pg.PoolClient,
  { name, text, values }: Query,
  timeoutMs: number,
  onTimeout: () => void,
): Promise<QueryResult<Row>> {
  // With promises or query_timeout, pg 8.23 keeps each result until a full garbage collection.
  return new Promise((resolve, reject) => {
    let late = setTimeout(() => {
      late = setTimeout(() => reject(noAnswer()), lateMs);
      onTimeout();
    }, timeoutMs);
    client.query<Row>({ ...(name !== undefined && { name }), text, values }, (error, result) => {
      clearTimeout(late);
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/** The code makes `isOutcomeUnknown` true. */
function noAnswer(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
}
