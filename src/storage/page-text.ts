/**
 * Many rows as a few texts: PostgreSQL joins all values of a column of a page, and a separator stands between two.
 * node-postgres takes twice as long for a row each, and PostgreSQL a third longer for JSON (docs/benchmarks.md).
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

/** A page as PostgreSQL sends it: the values of each column as one text, and how many optional members are present. */
export type PageText = { readonly [text: `text_${number}`]: string } & { readonly present: number };

/** SQL for `PageText`: of rows with these columns, of no rows, and the bytes of the `page` that it has made. */
interface PageSql {
  readonly ofRows: string;
  readonly ofNone: string;
  readonly bytes: string;
}

/** The signs are the parameters $1 and $2 of the SQL. */
export function pageTextSql(columns: readonly Column[]): PageSql {
  const texts = columns.map(({ name, optional }, at) => {
    const value = optional ? `coalesce(${quoted(name)}::text, $2::text)` : `${quoted(name)}::text`;
    return `coalesce(string_agg(${value}, $1::text), '') AS text_${at}, `;
  });
  const counts = columns.filter(({ optional }) => optional).map(({ name }) => ` + count(${quoted(name)})`);
  return {
    ofRows: `${texts.join('')}(0${counts.join('')})::int AS present`,
    ofNone: `${columns.map((_, at) => `'' AS text_${at}, `).join('')}0 AS present`,
    bytes: `(0${columns.map((_, at) => ` + octet_length(page.text_${at})`).join('')})`,
  };
}

/** How long all texts of a page are together, at least 1. */
export function charactersOf(columns: readonly Column[], page: PageText): number {
  return Math.max(
    1,
    columns.reduce((sum, _, at) => sum + textOf(page, at).length, 0),
  );
}

/** The objects of a page of `length` rows; undefined if a value has one of the signs in it. */
export function readPageText(
  columns: readonly Column[],
  { separator, absent }: Signs,
  page: PageText,
  length: number,
): Members[] | undefined {
  const values = columns.map((_, at) => (length === 0 ? [] : textOf(page, at).split(separator)));
  if (values.some((texts) => texts.length !== length)) return undefined;
  let present = 0;
  const objects: Members[] = [];
  for (let row = 0; row < length; row++) {
    const object: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at++) {
      // There are as many lists of values as columns, and as many values as rows.
      const column = columns[at] as Column;
      const text = values[at]?.[row] as string;
      if (column.optional) {
        if (text === absent) continue;
        present++;
      }
      object[column.name] = fromText(column, text);
    }
    objects.push(object);
  }
  // A value that is the sign of an absent one was taken for that.
  return present === page.present ? objects : undefined;
}

/** Each column has one (`pageTextSql`). */
function textOf(page: PageText, at: number): string {
  return page[`text_${at}`] as string;
}
