import type { Database } from './database.js';

export interface TableColumn {
  readonly name: string;
  /** For example `character varying(20)`. */
  readonly type: string;
  /** In characters; null if unlimited. */
  readonly length: number | null;
  readonly notNull: boolean;
  /** NOT NULL without a default. */
  readonly needed: boolean;
}

export interface Table {
  readonly columns: ReadonlyMap<string, TableColumn>;
  /** For example `CHECK (length(name) < 20)`. Without the primary key. */
  readonly constraints: readonly string[];
  readonly primaryKey: string | undefined;
}

/** The tables of the schema in which migrations make theirs. */
export async function readTables(database: Pick<Database, 'query'>): Promise<ReadonlyMap<string, Table>> {
  const { rows } = await database.query<{ name: string }>({
    text: `SELECT oid::regclass::text AS name FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`,
  });
  const tables = new Map<string, Table>();
  for (const { name } of rows) tables.set(name, await readTable(database, name));
  return tables;
}

/** Empty if there is no table. */
export async function readTable(database: Pick<Database, 'query'>, name: string): Promise<Table> {
  const { rows } = await database.query<TableColumn>({
    text: `SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
                  information_schema._pg_char_max_length(atttypid, atttypmod) AS length,
                  attnotnull AS "notNull",
                  attnotnull AND NOT atthasdef AND attidentity = '' AS needed
             FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
    values: [name],
  });
  const { rows: constraints } = await database.query<{ definition: string; isKey: boolean }>({
    text: `SELECT pg_get_constraintdef(oid) AS definition, contype = 'p' AS "isKey" FROM pg_constraint
            WHERE conrelid = to_regclass($1) AND contype IN ('c', 'u', 'f', 'x', 'p')
           UNION ALL
           SELECT pg_get_indexdef(indexrelid), false FROM pg_index
            WHERE indrelid = to_regclass($1) AND indisunique AND NOT indisprimary
              AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    values: [name],
  });
  return {
    columns: new Map(rows.map((column) => [column.name, column])),
    constraints: constraints.flatMap(({ definition, isKey }) => (isKey ? [] : [definition])),
    primaryKey: constraints.find(({ isKey }) => isKey)?.definition,
  };
}
