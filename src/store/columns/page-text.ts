/** A page as one JSON array for each column is faster than rows (docs/ablation.md). */
import { type Column, fromText, type Members, quoted } from './columns.js';
import { compileRowAssembly } from './row-assembly.js';

/** The text of a JSON array for each column, in the order of the columns: the values as texts, or null. */
export type PageText = { readonly [text: `text_${number}`]: string };

interface PageSql {
  /** The columns of `PageText`, aggregated from rows in their order. */
  readonly ofRows: string;
  /** The same columns of an empty page. */
  readonly ofNone: string;
  /** How many bytes the texts of the row `page` have. */
  readonly bytes: string;
}

export function pageTextSql(columns: readonly Column[]): PageSql {
  return {
    ofRows: columns
      .map(({ name }, at) => `coalesce(json_agg(${quoted(name)}::text)::text, '[]') AS text_${at}, `)
      .join(''),
    ofNone: columns.map((_, at) => `'[]' AS text_${at}, `).join(''),
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

/** @returns a function that makes the items of a page, which has `length` of them */
export function pageTextReader(
  columns: readonly Column[],
): (page: PageText & { readonly length: number }) => Members[] {
  const assemble = compileRowAssembly(columns.map(({ name }) => name));
  const valuesOf = (column: Column, text: string): unknown[] => {
    const texts: (string | null)[] = JSON.parse(text);
    if (column.type === 'text') return texts;
    return texts.map((one) => (one === null ? null : fromText(column, one)));
  };
  return (page) =>
    assemble(
      columns.map((column, at) => valuesOf(column, columnText(page, at))),
      page.length,
    );
}

/** `pageTextSql` makes a text for each column. */
function columnText(page: PageText, at: number): string {
  return page[`text_${at}`] as string;
}
