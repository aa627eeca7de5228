/**
 * Many rows as one text: PostgreSQL joins all values of a page, and a separator stands between two. node-postgres takes
 * twice as long for a row each, and PostgreSQL a third longer for JSON (docs/benchmarks.md).
 */
import { randomBytes } from 'node:crypto';
import { type Column, fromText, type Members, quoted } from './columns.js';

/** What stands between two values, and in the place of an absent one. */
export interface Signs {
  readonly separator: string;
  readonly absent: string;
}

/** Control characters that hardly any text has. */
export const shortSigns: Signs = { separator: '\u001f', absent: '\u001e' };

/** For a page that has one of the short ones in a text. Nobody can have written these before they were made. */
export function freshSigns(): Signs {
  const suffix = randomBytes(16).toString('base64url');
  return { separator: shortSigns.separator + suffix, absent: shortSigns.absent + suffix };
}

/** A page as PostgreSQL sends it: all values as one text, and how many optional members are present. */
export interface PageText {
  readonly text: string;
  readonly present: number;
}

/** SQL for `PageText` of rows with these columns. The signs are its parameters $1 and $2. */
export function pageTextSql(columns: readonly Column[]): string {
  const values = columns.map(({ name, optional }) =>
    optional ? `coalesce(${quoted(name)}::text, $2::text)` : `${quoted(name)}::text`,
  );
  const counts = columns.filter(({ optional }) => optional).map(({ name }) => ` + count(${quoted(name)})`);
  return `coalesce(string_agg(${values.join(' || $1::text || ')}, $1::text), '') AS text,
          (0${counts.join('')})::int AS present`;
}

/** The objects of a page of `length` rows; undefined if a value has one of the signs in it. */
export function readPageText(
  columns: readonly Column[],
  { separator, absent }: Signs,
  { text, present }: PageText,
  length: number,
): Members[] | undefined {
  const values = length === 0 ? [] : text.split(separator);
  if (values.length !== length * columns.length) return undefined;
  let found = 0;
  const objects: Members[] = [];
  for (let at = 0; at < values.length; ) {
    const object: Record<string, unknown> = {};
    for (const column of columns) {
      const value = values[at++] as string;
      if (!column.optional) {
        object[column.name] = fromText(column, value);
      } else if (value !== absent) {
        object[column.name] = fromText(column, value);
        found++;
      }
    }
    objects.push(object);
  }
  // A value that is the sign of an absent one was taken for that.
  return found === present ? objects : undefined;
}
