import { bind, type Database, type Statement } from '../../postgres/database.js';
import { type Column, type Members, quoted, readMembers } from '../columns/columns.js';
import type { TableNames } from '../table.js';
import { givenRows, inKeyOrder, isKeyOf, type Key, keyOf, keyParameters, keyText } from './keys.js';

export function lookup(
  database: Database,
  names: TableNames,
): (keys: readonly Key[], deadline: number) => Promise<(Members | undefined)[]> {
  const statement: Statement = {
    name: `find rows of ${names.name}`,
    text: `SELECT ${foundColumns(names)}
           FROM ${givenRows()} JOIN ${names.table} AS item ON ${isKeyOf(names, 'given')}`,
    reads: true,
  };
  return async (keys, deadline) => {
    const values = keyParameters(inKeyOrder(keys));
    const { rows } = await database.query<FoundRow>(bind(statement, values, deadline));
    return eachFound(names.answered, keys, rows);
  };
}

export type FoundRow = Key & { readonly texts: readonly (string | null)[] };

export function foundColumns(names: TableNames): string {
  const texts = names.answered.map(({ name }) => `item.${quoted(name)}::text`).join(', ');
  return `${keyOf(names)}, ARRAY[${texts}]::text[] AS texts`;
}

export function eachFound(
  answered: readonly Column[],
  keys: readonly Key[],
  rows: readonly FoundRow[],
): (Members | undefined)[] {
  const found = new Map(rows.map((row) => [keyText(row), readMembers(answered, row.texts)]));
  return keys.map((key) => found.get(keyText(key)));
}
