/**
 * A page of rows as one text per column: PostgreSQL joins the values of a column with a separator. Rows, or
 * JSON, would take much longer (docs/benchmarks.md).
 */
import { randomBytes } from 'node:crypto';
import { type Column, fromText, type Members, quoted } from './columns.js';

/** `separator` stands between two values, `absent` instead of a value that is NULL. */
export interface Signs {
  readonly separator: string;
  readonly absent: string;
}

/** Control characters that hardly any text contains. */
export const shortSigns: Signs = { separator: '\u001f', absent: '\u001e' };

/** For a page with a value that contains a short sign. These are random, so no stored value contains them. */
export function freshSigns(): Signs {
  const suffix = randomBytes(16).toString('base64url');
  return { separator: shortSigns.separator + suffix, absent: shortSigns.absent + suffix };
}

/** A page as PostgreSQL sends it: a text per column, and the number of optional members that are present. */
export type PageText = { readonly [text: `text_${number}`]: string } & { readonly present: number };

/** SQL that makes a `PageText` of rows, SQL for an empty one, and SQL for the bytes in a `page`. */
interface PageSql {
  readonly ofRows: string;
  readonly ofNone: string;
  readonly bytes: string;
}

/** The SQL takes the separator as $1 and the sign of an absent value as $2. */
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

/** The length of all texts of a page together, at least 1. */
export function charactersOf(columns: readonly Column[], page: PageText): number {
  return Math.max(
    1,
    columns.reduce((sum, _, at) => sum + textOf(page, at).length, 0),
  );
}

/** The objects of a page of `length` rows; undefined if a value contains one of the signs. */
export function readPageText(
  columns: readonly Column[],
  { separator, absent }: Signs,
  page: PageText,
  length: number,
): Members[] | undefined {
  const values = columns.map((column, at): readonly unknown[] => {
    const texts = length === 0 ? [] : textOf(page, at).split(separator);
    if (column.type === 'text') return texts;
    return texts.map((text) => (text === absent ? absent : fromText(column, text)));
  });
  if (values.some((ofColumn) => ofColumn.length !== length)) return undefined;
  const names = columns.map(({ name }) => name);
  let present = 0;
  const objects: Members[] = [];
  // Plain loops, because every row of a long list passes here.
  for (let row = 0; row < length; row++) {
    const object: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at++) {
      // There are as many lists of values as names, and as many values as rows.
      const value = (values[at] as readonly unknown[])[row];
      if (value === absent) continue;
      object[names[at] as string] = value;
      present++;
    }
    objects.push(object);
  }
  // A stored value that equals the sign of an absent one makes the two counts differ.
  const required = columns.filter(({ optional }) => !optional).length;
  return present === required * length + page.present ? objects : undefined;
}

/** `pageTextSql` makes a text for each column. */
function textOf(page: PageText, at: number): string {
  return page[`text_${at}`] as string;
}
