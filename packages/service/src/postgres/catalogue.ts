/**
 * Reads what PostgreSQL knows about tables: their columns and constraints. Two checks need it: whether tables
 * fit the contract (store/start/), and whether a migration would break replicas (breaking-changes.ts).
 */
import type { Database } from './database.js';

export interface TableColumn {
  readonly name: string;
  /** The type as PostgreSQL writes it, such as `character varying(20)`. */
  readonly type: string;
  /** A number of characters; null if there is no limit. */
  readonly length: number | null;
  readonly notNull: boolean;
  /** Whether an INSERT must give a value: the column is NOT NULL and has no default. */
  readonly needed: boolean;
}

/** A table, as PostgreSQL knows it. */
export interface CatalogueTable {
  /** The columns by name. */
  readonly columns: ReadonlyMap<string, TableColumn>;
  /** The definitions by name, for example `CHECK (length(name) < 20)`. The primary key is not among them. */
  readonly constraints: ReadonlyMap<string, string>;
  /** The tables whose foreign keys refuse deletes of this table's rows, by the names of these constraints. */
  readonly refusedBy: ReadonlyMap<string, string>;
  /** The definition, for example `PRIMARY KEY (owner, id)`; undefined if there is none. */
  readonly primaryKey: string | undefined;
  /**
   * The columns of each index from which all rows can be read in order, forwards and backwards: all of its
   * columns ascend, or all descend, and compare values as the column does.
   */
  readonly indexes: readonly (readonly string[])[];
}

interface ConstraintRow {
  readonly name: string;
  /** The constraint in SQL; for the kind "of another", the name of the table that has it. */
  readonly definition: string;
  readonly kind: 'key' | 'own' | 'of another';
}

/**
 * Reads the tables of the schema in which migrations make theirs.
 *
 * @returns the tables by name
 * @throws {Error} what `database.query` throws
 */
export async function readTables(
  database: Pick<Database, 'query'>,
): Promise<ReadonlyMap<string, CatalogueTable>> {
  const { rows } = await database.query<{ name: string }>({
    text: `SELECT oid::regclass::text AS name FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`,
  });
  const tables = new Map<string, CatalogueTable>();
  for (const { name } of rows) tables.set(name, await readTable(database, name));
  return tables;
}

/**
 * Reads a table.
 *
 * @returns a table without columns if there is none of this name
 * @throws {Error} what `database.query` throws
 */
export async function readTable(database: Pick<Database, 'query'>, name: string): Promise<CatalogueTable> {
  const { rows } = await database.query<TableColumn>({
    text: `SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
                  information_schema._pg_char_max_length(atttypid, atttypmod) AS length,
                  attnotnull AS "notNull",
                  attnotnull AND NOT atthasdef AND attidentity = '' AS needed
             FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
    values: [name],
  });
  const { rows: constraints } = await database.query<ConstraintRow>({
    text: `SELECT conname AS name, pg_get_constraintdef(oid) AS definition,
                  CASE contype WHEN 'p' THEN 'key' ELSE 'own' END AS kind FROM pg_constraint
            WHERE conrelid = to_regclass($1) AND contype IN ('c', 'u', 'f', 'x', 'p')
           UNION ALL
           SELECT conname, conrelid::regclass::text, 'of another' FROM pg_constraint
            WHERE confrelid = to_regclass($1) AND contype = 'f' AND confdeltype IN ('a', 'r')
           UNION ALL
           SELECT relname, pg_get_indexdef(indexrelid), 'own'
             FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE indrelid = to_regclass($1) AND indisunique AND NOT indisprimary
              AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    values: [name],
  });
  const { rows: indexes } = await database.query<{ columns: string[] }>({
    text: `SELECT ARRAY(SELECT attname::text
                          FROM unnest(indkey::smallint[]) WITH ORDINALITY AS part (number, ordinal)
                          JOIN pg_attribute ON attrelid = indrelid AND attnum = number
                         WHERE ordinal <= indnkeyatts ORDER BY ordinal) AS columns
             FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
            WHERE indrelid = to_regclass($1) AND amname = 'btree'
              AND indisvalid AND indpred IS NULL AND indexprs IS NULL
              AND NOT EXISTS (
                SELECT FROM unnest(indkey::smallint[], indcollation::oid[], indclass::oid[], indoption::smallint[])
                              WITH ORDINALITY AS part (number, sorted_by, class, direction, ordinal)
                  JOIN pg_attribute ON attrelid = indrelid AND attnum = number
                  JOIN pg_opclass ON pg_opclass.oid = class
                 WHERE ordinal <= indnkeyatts AND NOT (
                   sorted_by = attcollation AND opcdefault AND direction = (indoption::smallint[])[0]))`,
    values: [name],
  });
  const definitionsOf = (wanted: ConstraintRow['kind']) =>
    new Map(
      constraints.flatMap(({ name, definition, kind }) => (kind === wanted ? [[name, definition]] : [])),
    );
  return {
    columns: new Map(rows.map((column) => [column.name, column])),
    constraints: definitionsOf('own'),
    refusedBy: definitionsOf('of another'),
    primaryKey: constraints.find(({ kind }) => kind === 'key')?.definition,
    indexes: indexes.map(({ columns }) => columns),
  };
}
