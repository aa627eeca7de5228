/** A page as one text per column is faster than rows or JSON (docs/ablation.md). */
import { type Column, fromText, type Members, quoted } from './columns.js';
import { compileRowAssembly } from './row-assembly.js';

/** Between two values. Hardly any text contains this control character. */
const separator = '\u001f';
/** Instead of NULL. */
const absent = '\u001e';

/** `present` counts optional members that are not NULL. */
export type PageText = { readonly [text: `text_${number}`]: string } & { readonly present: number };

interface PageSql {
  /** The columns of `PageText`, aggregated from rows. */
  readonly ofRows: string;
  /** The same columns of an empty page. */
  readonly ofNone: string;
  /** How many bytes the texts of the row `page` have. */
  readonly bytes: string;
}

export function pageTextSql(columns: readonly Column[]): PageSql {
  const texts = columns.map(({ name, optional }, at) => {
    const value = optional ? `coalesce(${quoted(name)}::text, U&'\\001e')` : `${quoted(name)}::text`;
    // string_agg keeps the order of the query below it (PostgreSQL documentation, section 9.21).
    return `coalesce(string_agg(${value}, U&'\\001f'), '') AS text_${at}, `;
  });
  const counts = columns.filter(({ optional }) => optional).map(({ name }) => ` + count(${quoted(name)})`);
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

/** Undefined if a value contains a delimiter. */
export type ReadPageText = (page: PageText & { readonly length: number }) => Members[] | undefined;

export function pageTextReader(columns: readonly Column[]): ReadPageText {
  const assemble = compileRowAssembly(columns.map(({ name }) => name));
  const required = columns.filter(({ optional }) => !optional).length;
  return (page) => {
    const { length } = page;
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

/** `pageTextSql` makes a text for each column. */
function columnText(page: PageText, at: number): string {
  return page[`text_${at}`] as string;
}
