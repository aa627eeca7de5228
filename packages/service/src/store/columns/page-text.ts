/**
 * Reads a page of a list as one text for each column.
 *
 * As rows, a million plants take half as long again, because each value is a part of a message, a string and
 * a member of an object by itself (docs/ablation.md). So:
 *
 * 1. PostgreSQL joins the values of a column, in the order of the page. `separator` stands between two
 *    values, and `absent` stands for NULL.
 * 2. The service splits each text, and makes objects of the values.
 * 3. A stored value may contain one of these characters. Then a text splits into too many values, or fewer
 *    are present than PostgreSQL has counted. Such a page is read again, as rows (statements/list.ts).
 *
 * For example, the names "a", "b" and "c" come as "a␟b␟c". If only "b" has a tag, the tags come as "␞␟red␟␞",
 * and PostgreSQL has counted 1.
 *
 * The cost: a page with such a value is read twice.
 */
import { type Column, fromText, type Members, quoted } from './columns.js';

/** This control character stands between two values. Hardly any text contains it. */
const separator = '\u001f';
/** This one stands for NULL. */
const absent = '\u001e';

/** The texts of a page's columns. `present` is how many optional members are not NULL. */
export type PageText = { readonly [text: `text_${number}`]: string } & { readonly present: number };

interface PageSql {
  /** The columns of `PageText`, aggregated from rows. */
  readonly ofRows: string;
  /** The same columns of an empty page. */
  readonly ofNone: string;
  /** How many bytes the texts of the row `page` have. */
  readonly bytes: string;
}

/** Writes the SQL that makes a `PageText`. */
export function pageTextSql(columns: readonly Column[]): PageSql {
  const texts = columns.map(({ name, optional }, at) => {
    const value = optional ? `coalesce(${quoted(name)}::text, U&'\\001e')` : `${quoted(name)}::text`;
    // string_agg keeps the order of the query below it (PostgreSQL documentation, section 9.21). A column may
    // have a collation, and the texts of a recursive query must have the same one as those it begins with.
    return `coalesce(string_agg(${value}, U&'\\001f') COLLATE "default", '') AS text_${at}, `;
  });
  const counts = columns.filter(({ optional }) => optional).map(({ name }) => ` + count(${quoted(name)})`);
  return {
    ofRows: `${texts.join('')}(0${counts.join('')})::int AS present`,
    ofNone: `${columns.map((_, at) => `'' AS text_${at}, `).join('')}0 AS present`,
    bytes: `(0${columns.map((_, at) => ` + octet_length(page.text_${at})`).join('')})`,
  };
}

/**
 * @returns how many characters the texts of a page have; 1 if they have none, because the result is a divisor
 */
export function charactersOf(columns: readonly Column[], page: PageText): number {
  return Math.max(
    1,
    columns.reduce((sum, _, at) => sum + columnText(page, at).length, 0),
  );
}

/** Reads the items of a page. It returns undefined if a value contains one of the two characters. */
export type ReadPageText = (page: PageText & { readonly length: number }) => Members[] | undefined;

export function pageTextReader(columns: readonly Column[]): ReadPageText {
  const required = columns.filter(({ optional }) => !optional).length;
  return (page) => {
    const { length } = page;
    const values = columns.map((column, at): readonly unknown[] => {
      const texts = length === 0 ? [] : columnText(page, at).split(separator);
      if (column.type === 'text' || column.type === 'uuid') return texts;
      return texts.map((text) => (text === absent ? absent : fromText(column, text)));
    });
    // A stored value that contains `separator` was split.
    if (values.some((ofColumn) => ofColumn.length !== length)) return undefined;
    const [items, present] = itemsOf(columns, values, length);
    // The counts differ if a stored value equals `absent`.
    return present === required * length + page.present ? items : undefined;
  };
}

/**
 * @param values a list for each column, with a value for each item
 * @returns the items, and how many members all of them have together
 */
function itemsOf(
  columns: readonly Column[],
  values: readonly (readonly unknown[])[],
  length: number,
): [items: Members[], present: number] {
  const names = columns.map(({ name }) => name);
  const items: Members[] = [];
  let present = 0;
  for (let at = 0; at < length; at++) {
    const item: Record<string, unknown> = {};
    // A closure for each item would double the memory that a list takes until it is sent.
    for (let column = 0; column < names.length; column++) {
      const name = names[column];
      const value = values[column]?.[at];
      if (name === undefined || value === absent) continue;
      item[name] = value;
      present++;
    }
    items.push(item);
  }
  return [items, present];
}

/** @returns the text of a column, which is a string because `pageTextSql` makes one for each */
function columnText(page: PageText, at: number): string {
  return page[`text_${at}`] as string;
}
