/**
 * Lets autovacuum come to the tables of resources once a fiftieth of their rows is dead, instead of a fifth.
 *
 * A list begins at the lowest key of its owner. If the owner has deleted its oldest items, their entries stay in the index
 * until a vacuum, and each list reads them. docs/postgresql.md has figures.
 */
import type { Database } from '../../postgres/database.js';
import type { StoredTable } from '../table.js';

const option = 'autovacuum_vacuum_scale_factor = 0.02';

/**
 * Sets the option of each table that has no setting of autovacuum yet, so an operator's own one stays. An account that
 * does not own a table cannot set it: the one of "plant-store migrate" does.
 *
 * @throws {Error} what `database.query` throws
 */
export async function vacuumSooner(
  database: Pick<Database, 'query'>,
  tables: readonly StoredTable[],
): Promise<void> {
  const { rows } = await database.query<{ name: string }>({
    text: `SELECT oid::regclass::text AS name FROM pg_class
            WHERE oid = ANY (SELECT to_regclass(name) FROM unnest($1::text[]) AS name) AND relkind = 'r'
              AND pg_has_role(relowner, 'USAGE') AND NOT EXISTS (SELECT FROM unnest(reloptions) AS set WHERE set LIKE 'autovacuum_%')`,
    values: [tables.map(({ table }) => table)],
  });
  for (const { name } of rows) {
    // Whoever vacuums or indexes the table now need not be waited for: the next start sets the option.
    const text = `DO $$ BEGIN ALTER TABLE ${name} SET (${option});
                  EXCEPTION WHEN lock_not_available OR object_in_use THEN NULL; END $$`;
    await database.query({ text });
  }
}
