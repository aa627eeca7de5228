import type { Database, Statement } from '../../postgres/database.js';
import type { TableNames } from '../table.js';
import {
  arraysOf,
  columnNames,
  columnTypes,
  eachReturned,
  inKeyOrder,
  type Key,
  keyOf,
  lockTimeout,
  type Row,
} from './keys.js';

/**
 * Of equal keys, the first is stored.
 *
 * @returns a function that says which rows were stored
 */
export function creation(
  database: Database,
  names: TableNames,
): (rows: readonly Row[], deadline: number) => Promise<boolean[]> {
  const types = columnTypes(names);
  const insert = `INSERT INTO ${names.table} AS item (${columnNames(names)})`;
  const unlessTaken = `ON CONFLICT (${names.owner}, ${names.key}) DO NOTHING`;
  const one: Statement = {
    name: `create a row of ${names.name}`,
    text: `${insert} VALUES (${types.map((_, at) => `$${at + 1}`).join(', ')}) ${unlessTaken}`,
  };
  const many: Statement = {
    name: `create rows of ${names.name}`,
    // RETURNING says which keys were free. unnest keeps the order of `inKeyOrder` (PostgreSQL documentation,
    // section 9.19). If somebody has created one of the keys, and not committed yet, the others do not wait for it.
    text: `${insert}
           SELECT given.* FROM ${lockTimeout}, unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')}) AS given
           ${unlessTaken} RETURNING ${keyOf(names)}`,
  };
  return async (rows, deadline) => {
    const [first, ...others] = rows;
    if (first !== undefined && others.length === 0) {
      const values = [first.owner, first.id, ...first.members];
      const { rowCount } = await database.query({ ...one, values, deadline });
      return [rowCount === 1];
    }
    const values = arraysOf(inKeyOrder(rows), names.members);
    const { rows: created } = await database.query<Key>({ ...many, values, deadline });
    return eachReturned(rows, created);
  };
}
