/**
 * The statements of a create. ON CONFLICT DO NOTHING is what makes retries safe: a row whose key is taken is
 * left alone, and the statement says so instead of failing, so that store.ts can compare the stored item.
 *
 * `lockTimeout` stands in the FROM clause, because it must run in this statement, before its first row: a
 * `SET` of its own would cost a round trip, and would have to be undone. A row that somebody else locks then
 * fails the batch after half a second, and its item runs again as `onePatiently`, without that limit.
 */
import { bind, type Database, type Statement } from '../../postgres/database.js';
import type { TableNames } from '../table.js';
import { type Changes, changesBy } from './change.js';
import {
  arraysOf,
  columnNames,
  columnTypes,
  eachReturned,
  inKeyOrder,
  type Key,
  keyOf,
  lockTimeout,
} from './keys.js';

/**
 * The statements of creates. If keys are equal, the first row is stored, and the others count as not stored.
 */
export function creation(database: Database, names: TableNames): Changes {
  const insert = `INSERT INTO ${names.table} AS item (${columnNames(names)})`;
  const types = columnTypes(names);
  const values = types.map((type, at) => `$${at + 1}::${type}`).join(', ');
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  const unlessTaken = `ON CONFLICT (${names.owner}, ${names.key}) DO NOTHING`;
  const one: Statement = {
    name: `create a row of ${names.name}`,
    text: `${insert} SELECT ${values} FROM ${lockTimeout} ${unlessTaken}`,
  };
  const onePatiently: Statement = {
    name: `create a locked row of ${names.name}`,
    text: `${insert} VALUES (${values}) ${unlessTaken}`,
  };
  const many: Statement = {
    name: `create rows of ${names.name}`,
    // RETURNING says which keys were free.
    text: `${insert} SELECT given.* FROM ${lockTimeout}, unnest(${arrays}) AS given
           ${unlessTaken} RETURNING ${keyOf(names)}`,
  };

  return changesBy(database, { one, onePatiently }, async (rows, deadline) => {
    const values = arraysOf(inKeyOrder(rows), names.members);
    const { rows: created } = await database.query<Key>(bind(many, values, deadline));
    return eachReturned(rows, created);
  });
}
