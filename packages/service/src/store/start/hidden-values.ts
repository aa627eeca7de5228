/**
 * Warns of values that are stored, and that no answer shows. A member that is renamed by ADD COLUMN instead
 * of RENAME COLUMN leaves them: the old column has all values, the new one has none, and nothing else is
 * wrong. So the start goes on.
 */
import type { Contract } from '../../contract/contract.js';
import { membersOf } from '../../contract/document/members.js';
import { RefusedStatementError } from '../../errors/database.js';
import { ServiceUnavailableError } from '../../errors/unavailable.js';
import { readTable } from '../../postgres/catalogue.js';
import type { Database } from '../../postgres/database.js';
import { quoted } from '../columns/columns.js';
import { columnsBesideContract, type StoredTable } from '../table.js';

/** Bounds the search in a column: if it has no values, PostgreSQL reads the whole table to know it. */
const timeoutMs = 1_000;

/**
 * Finds columns with values that no member shows.
 *
 * @returns a sentence for each such column
 * @throws {DatabaseUnavailableError} if the catalogue cannot be read
 */
export async function hiddenValues(
  contract: Contract,
  database: Pick<Database, 'query'>,
  tables: readonly StoredTable[],
): Promise<string[]> {
  const sentences: string[] = [];
  for (const stored of tables) {
    const { table, schema } = stored;
    const known = new Set([
      ...membersOf(contract, schema).map(({ name }) => name),
      ...columnsBesideContract(stored),
    ]);
    const { columns } = await readTable(database, table);
    for (const name of [...columns.keys()].filter((column) => !known.has(column))) {
      const has = await hasValues(database, table, name);
      if (has === false) continue;
      sentences.push(
        `The column ${table}.${name} ${has ? 'has values' : 'may have values'}, and ${schema} has no such member, so no answer shows them: if the member was renamed, move them by a migration; otherwise drop the column, or name it in besideContract of its table.`,
      );
    }
  }
  return sentences;
}

/** @returns undefined if it takes long to find out, or the account may not read the column */
async function hasValues(
  database: Pick<Database, 'query'>,
  table: string,
  column: string,
): Promise<boolean | undefined> {
  try {
    const { rowCount } = await database.query({
      text: `SELECT FROM ${quoted(table)} WHERE ${quoted(column)} IS NOT NULL LIMIT 1`,
      reads: true,
      deadline: performance.now() + timeoutMs,
    });
    return rowCount === 1;
  } catch (error) {
    if (error instanceof ServiceUnavailableError || error instanceof RefusedStatementError) return undefined;
    throw error;
  }
}
