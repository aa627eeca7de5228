import type { Database, Statement } from '../postgres/database.js';
import { type Column, type Members, quoted, readMembers } from '../storage/columns.js';
import { givenKeys, inKeyOrder, type Key, keyParameters, keyText } from '../storage/keys.js';

/** @param columns all but the key's */
export function plantLookup(
  database: Database,
  columns: readonly Column[],
): (keys: readonly Key[], deadline: number) => Promise<(Members | undefined)[]> {
  const statement: Statement = {
    name: 'find plants',
    text: `SELECT ${foundColumns(columns)}
           FROM ${givenKeys()} JOIN plants ON plants.owner = key.owner AND plants.id = key.id`,
    reads: true,
  };
  return async (keys, deadline) => {
    const values = keyParameters(inKeyOrder(keys));
    const { rows } = await database.query<FoundRow>({ ...statement, values, deadline });
    return eachFound(columns, keys, rows);
  };
}

export type FoundRow = Key & { readonly texts: readonly (string | null)[] };

export function foundColumns(columns: readonly Column[]): string {
  const texts = columns.map(({ name }) => `plants.${quoted(name)}::text`).join(', ');
  return `plants.owner, plants.id, ARRAY[${texts}] AS texts`;
}

export function eachFound(
  columns: readonly Column[],
  keys: readonly Key[],
  rows: readonly FoundRow[],
): (Members | undefined)[] {
  const found = new Map(rows.map((row) => [keyText(row), readMembers(columns, row.texts)]));
  return keys.map((key) => found.get(keyText(key)));
}
