/**
 * The statement that finds items by their keys. The columns come as one array of texts for each row, so that
 * columns.ts reads them to the last digit.
 */
import { bind, type Database, type Statement } from '../../postgres/database.js';
import { type Column, type Members, quoted, readMembers } from '../columns/columns.js';
import type { TableNames } from '../table.js';
import { givenRows, inKeyOrder, isKeyOf, type Key, keyOf, keyParameters, keyText } from './keys.js';

/**
 * @returns a function that finds the items of many keys by one statement, until `deadline`, in milliseconds
 * of performance.now(). It returns the members for each key, in their order, and undefined if there is no
 * such item. It throws what `Database.query` throws
 */
export function lookup(
  database: Database,
  names: TableNames,
): (keys: readonly Key[], deadline: number) => Promise<(Members | undefined)[]> {
  const statement: Statement = {
    name: `find rows of ${names.name}`,
    text: `SELECT ${foundColumns(names)}
           FROM ${givenRows(names)} JOIN ${names.table} AS item ON ${isKeyOf(names, 'given')}`,
    reads: true,
  };
  return async (keys, deadline) => {
    const values = keyParameters(inKeyOrder(keys));
    const { rows } = await database.query<FoundRow>(bind(statement, values, deadline));
    return eachFound(names.answered, keys, rows);
  };
}

/** A row that was found: its key, and the texts of the columns that are answered, with null for NULL. */
export type FoundRow = Key & { readonly texts: readonly (string | null)[] };

/** @returns the columns of `FoundRow`, for a statement that calls the table `item` */
export function foundColumns(names: TableNames): string {
  const texts = names.answered.map(({ name }) => `item.${quoted(name)}::text`).join(', ');
  return `${keyOf(names)}, ARRAY[${texts}]::text[] AS texts`;
}

/** @returns the members for each key, in the order of the keys; undefined if no row has the key */
export function eachFound(
  answered: readonly Column[],
  keys: readonly Key[],
  rows: readonly FoundRow[],
): (Members | undefined)[] {
  const found = new Map(rows.map((row) => [keyText(row), readMembers(answered, row.texts)]));
  return keys.map((key) => found.get(keyText(key)));
}
