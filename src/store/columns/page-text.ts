/**
 * Reads a page of a list as one text for each column.
 *
 * PostgreSQL and pg spend most of a long list's time on its rows: each value is a message part, a string and
 * a member of an object. As rows, a million plants take half as long again as in this form
 * (docs/ablation.md). So:
 *
 * 1. PostgreSQL joins the values of a column with `string_agg`, in the order of the page. `separator` stands
 *    between two values, and `absent` stands for NULL.
 * 2. The service splits each text, and row-assembly.ts makes objects of the values.
 * 3. A stored value may contain a delimiter. Then a text splits into too many values, or fewer values are
 *    present than PostgreSQL has counted. Such a page is read again, with random delimiters.
 *
 * For example, the names "a", "b" and "c" come as "a␟b␟c", and a tag that only "b" has as "␞␟red␟␞" with the
 * count 1.
 *
 * The cost: a page whose text contains a delimiter is read twice.
 */
import { randomBytes } from 'node:crypto';
import { type Column, fromText, type Members, quoted } from './columns.js';
import { compileRowAssembly } from './row-assembly.js';

interface Delimiters {
  readonly separator: string;
  readonly absent: string;
}

/** The delimiters of the first try: control characters that hardly any text contains. */
export const shortDelimiters: Delimiters = { separator: '\u001f', absent: '\u001e' };

/** Makes delimiters that no stored value contains, because nobody can guess them. */
export function randomDelimiters(): Delimiters {
  const suffix = randomBytes(16).toString('base64url');
  return { separator: shortDelimiters.separator + suffix, absent: shortDelimiters.absent + suffix };
}

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

/** Makes the SQL of these texts. Its parameter $1 is `separator`, and $2 is `absent`. */
export function pageTextSql(columns: readonly Column[]): PageSql {
  const texts = columns.map(({ name, optional }, at) => {
    const value = optional ? `coalesce(${quoted(name)}::text, $2::text)` : `${quoted(name)}::text`;
    // string_agg keeps the order of the query below it (PostgreSQL documentation, section 9.21).
    return `coalesce(string_agg(${value}, $1::text), '') AS text_${at}, `;
  });
  const counts = columns.filter(({ optional }) => optional).map(({ name }) => ` + count(${quoted(name)})`);
  // PostgreSQL asks for a use of each parameter, from which it takes its type.
  if (counts.length === 0) counts.push(' + 0 * length($1::text || $2::text)');
  return {
    ofRows: `${texts.join('')}(0${counts.join('')})::int AS present`,
    ofNone: `${columns.map((_, at) => `'' AS text_${at}, `).join('')}0 AS present`,
    bytes: `(0${columns.map((_, at) => ` + octet_length(page.text_${at})`).join('')})`,
  };
}

/** How many characters the texts of a page have; 1 if they have none, because the result is a divisor. */
export function charactersOf(columns: readonly Column[], page: PageText): number {
  return Math.max(
    1,
    columns.reduce((sum, _, at) => sum + columnText(page, at).length, 0),
  );
}

/** @returns undefined if a value contains a delimiter */
export type ReadPageText = (delimiters: Delimiters, page: PageText, length: number) => Members[] | undefined;

export function pageTextReader(columns: readonly Column[]): ReadPageText {
  const assemble = compileRowAssembly(columns.map(({ name }) => name));
  const required = columns.filter(({ optional }) => !optional).length;
  return ({ separator, absent }, page, length) => {
    const values = columns.map((column, at): readonly unknown[] => {
      const texts = length === 0 ? [] : columnText(page, at).split(separator);
      if (column.type === 'text') return texts;
      return texts.map((text) => (text === absent ? absent : fromText(column, text)));
    });
    // A stored value that contains `separator` was split.
    if (values.some((ofColumn) => ofColumn.length !== length)) return undefined;
    const [objects, present] = assemble(values, length, absent);
    // The counts differ if a stored value equals `absent`.
    return present === required * length + page.present ? objects : undefined;
  };
}

/** The text of a column, which is a string because `pageTextSql` makes one for each. */
function columnText(page: PageText, at: number): string {
  return page[`text_${at}`] as string;
}
