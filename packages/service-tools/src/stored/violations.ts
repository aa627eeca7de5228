/** Reads all rows of a table, and finds those whose values the contract does not allow. */
import type pg from 'pg';
import { parseJson } from '../../../exact-json/index.js';
import {
  type ColumnType,
  type Contract,
  compileSchema,
  membersOf,
  quoted,
  type StoredTable,
} from '../../../service/layer.js';

/** Rows of a table that fail in the same way. */
interface Violation {
  /** The member, and the rule that it breaks. */
  readonly sentence: string;
  readonly rows: number;
  /** The key of the first row, as `owner=ada, id=7`. */
  readonly example: string;
}

/** The number of rows that are read at a time. */
const portion = 2_000;
/** The most levels that a contract may allow in a body (`x-limits`). */
const deepest = 1_000;

/**
 * Reads all rows of a table in one snapshot, and checks each against its schema.
 *
 * @param client is connected, and in no transaction
 * @param interrupted ends the reading between two portions
 * @returns the number of rows, and the violations
 * @throws {ContractError} if the contract has no schema for the table
 * @throws {DOMException} named AbortError, if it was interrupted
 * @throws {pg.DatabaseError} if PostgreSQL refuses a statement, such as for a column that is not there yet
 */
export async function readViolations(
  client: pg.Client,
  contract: Contract,
  { table, schema, columns }: StoredTable,
  interrupted: AbortSignal,
): Promise<{ rows: number; violations: Violation[] }> {
  const described = membersOf(contract, schema);
  const check = compileSchema({
    type: 'object',
    required: described.flatMap(({ name, required }) => (required ? [name] : [])),
    properties: Object.fromEntries(described.map((member) => [member.name, member.schema])),
  });
  const keys = await primaryKey(client, table);
  const members = Object.entries(columns);
  const selected = [...keys, ...members.map(([name]) => name)].map((name) => `${quoted(name)}::text`);
  const found = new Map<string, { rows: number; example: string }>();
  let count = 0;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(
    `DECLARE stored NO SCROLL CURSOR FOR SELECT ${selected.join(', ')} FROM ${quoted(table)}`,
  );
  for (;;) {
    interrupted.throwIfAborted();
    const { rows } = await client.query<(string | null)[]>({
      text: `FETCH ${portion} FROM stored`,
      rowMode: 'array',
    });
    for (const texts of rows) {
      const violation = check(objectOf(members, texts.slice(keys.length)));
      if (violation === undefined) continue;
      const member = violation.pointer.slice(1).replaceAll('/', '.');
      const sentence = `${member === '' ? `a ${schema}` : member} ${violation.message}`;
      const before = found.get(sentence);
      const example = before?.example ?? keys.map((key, at) => `${key}=${texts[at]}`).join(', ');
      found.set(sentence, { rows: (before?.rows ?? 0) + 1, example });
    }
    count += rows.length;
    if (rows.length < portion) break;
  }
  await client.query('ROLLBACK');
  return { rows: count, violations: Array.from(found, ([sentence, rest]) => ({ sentence, ...rest })) };
}

/** Makes the object that a row stores, as `parseJson` would return it. */
function objectOf(members: readonly [name: string, ColumnType][], texts: readonly (string | null)[]) {
  return Object.fromEntries(
    members.flatMap(([name, type], at) => {
      const text = texts[at] ?? null;
      if (text === null) return [];
      return [[name, type === 'text' || type === 'uuid' ? text : parseJson(text, deepest)]];
    }),
  );
}

async function primaryKey(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
      WHERE indrelid = to_regclass($1) AND indisprimary ORDER BY array_position(indkey::int2[], attnum)`,
    [quoted(table)],
  );
  return rows.map(({ name }) => name);
}
