/**
 * Whether the database can serve requests, for `/ready` and for `plant-store check`: it takes writes, and has
 * the tables, columns and rights that requests need. Load balancers ask often, so an answer is kept for a
 * moment, and the question goes over a connection of its own.
 */
import { DatabaseUnavailableError } from '../errors/database.js';
import { Database } from './database.js';

export interface NeededTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rights: readonly ('SELECT' | 'INSERT' | 'UPDATE' | 'DELETE')[];
}

/** All who ask within so many milliseconds get the same answer. */
const keptMs = 250;
/**
 * Probes have a connection of their own, so that they and requests do not wait for each other. The times are
 * in milliseconds.
 */
const limits = { connections: 1, connect: 2_000, statement: 1_000 };

export class Readiness {
  readonly #database: Database;
  readonly #tables: readonly NeededTable[];
  #answer: Promise<void> | undefined;

  constructor(url: string, tables: readonly NeededTable[]) {
    this.#database = new Database(url, () => {}, limits);
    this.#tables = tables;
  }

  /**
   * @throws {DatabaseUnavailableError} if the database cannot be asked, is read-only, or lacks something. The
   * message says what
   */
  check(): Promise<void> {
    this.#answer ??= this.#ask().finally(() => {
      setTimeout(() => {
        this.#answer = undefined;
      }, keptMs).unref();
    });
    return this.#answer;
  }

  /**
   * @returns the name of the migration that is the last one in order of name, which may be of a newer version
   * @throws {DatabaseUnavailableError} if the database is not ready, or has no table of migrations that can be
   *   read
   */
  async newestMigration(): Promise<string | undefined> {
    // Otherwise a scrape would wait for a database that is away twice.
    await this.check();
    const { rows } = await this.#database.query<{ name: string }>({
      text: 'SELECT name FROM plant_store_migrations ORDER BY name COLLATE "C" DESC LIMIT 1',
      reads: true,
    });
    return rows[0]?.name;
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  async #ask(): Promise<void> {
    const needs = this.#tables.flatMap(({ name, rights }) => rights.map((right) => ({ name, right })));
    const columns = this.#tables.flatMap(({ name, columns }) => columns.map((column) => ({ name, column })));
    const { rows } = await this.#database.query<{ missing: string }>({
      // This statement locks no table, so it does not wait for migrations.
      text: `SELECT 'it is read-only' AS missing WHERE current_setting('transaction_read_only')::boolean
             UNION ALL
             SELECT CASE WHEN to_regclass(name) IS NULL THEN format('there is no table %s', name)
                         ELSE format('the right to %s on the table %s is missing', "right", name) END
             FROM unnest($1::text[], $2::text[]) AS need (name, "right")
             WHERE has_table_privilege(to_regclass(name), "right") IS NOT TRUE
             UNION ALL
             SELECT format('there is no column %s.%s', name, "column")
             FROM unnest($3::text[], $4::text[]) AS need (name, "column")
             WHERE to_regclass(name) IS NOT NULL AND NOT EXISTS (
               SELECT FROM pg_attribute
               WHERE attrelid = to_regclass(name) AND attname = "column" AND NOT attisdropped)`,
      values: [
        needs.map(({ name }) => name),
        needs.map(({ right }) => right),
        columns.map(({ name }) => name),
        columns.map(({ column }) => column),
      ],
      reads: true,
    });
    const missing = new Set(rows.map((row) => row.missing));
    if (missing.size > 0) throw new DatabaseUnavailableError([...missing].join(', '));
  }
}
