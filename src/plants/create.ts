import type { Database, Statement } from '../postgres/database.js';
import { type Column, quoted } from '../storage/columns.js';
import { eachReturned, inKeyOrder, type Key } from '../storage/keys.js';

export interface PlantRow extends Key {
  /** In the order of the columns. */
  readonly parameters: readonly unknown[];
}

/**
 * Of equal keys, the first is stored.
 *
 * @param columns all but the key's
 * @returns a function that says which plants were stored
 */
export function plantCreation(
  database: Database,
  columns: readonly Column[],
): (plants: readonly PlantRow[], deadline: number) => Promise<boolean[]> {
  const names = ['owner', 'id', ...columns.map(({ name }) => quoted(name))].join(', ');
  const types = ['text', 'bigint', ...columns.map(({ type }) => type)];
  const one: Statement = {
    name: 'create a plant',
    text: `INSERT INTO plants (${names}) VALUES (${types.map((_, at) => `$${at + 1}`).join(', ')})
           ON CONFLICT DO NOTHING`,
  };
  const many: Statement = {
    name: 'create plants',
    // RETURNING says which keys were free. unnest keeps the order of `inKeyOrder` (PostgreSQL documentation,
    // section 9.19).
    text: `INSERT INTO plants (${names})
           SELECT * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})
           ON CONFLICT DO NOTHING RETURNING owner, id`,
  };
  return async (plants, deadline) => {
    const [first, ...others] = plants;
    if (first !== undefined && others.length === 0) {
      const values = [first.owner, first.id, ...first.parameters];
      const { rowCount } = await database.query({ ...one, values, deadline });
      return [rowCount === 1];
    }
    const rows = inKeyOrder(plants);
    const members = columns.map((_, at) => rows.map(({ parameters }) => parameters[at]));
    const values = [rows.map(({ owner }) => owner), rows.map(({ id }) => id), ...members];
    const { rows: created } = await database.query<Key>({ ...many, values, deadline });
    return eachReturned(plants, created);
  };
}
