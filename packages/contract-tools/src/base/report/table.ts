/** Writes tables in Markdown, which people can also read as they are. */
type Row = readonly (string | number)[];

/** Writes a row. */
export function tableRow(cells: Row): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Writes the first two lines of a table. */
export function tableHead(cells: Row): string {
  return [cells, cells.map(() => '---')].map(tableRow).join('\n');
}

export function table(head: Row, rows: readonly Row[]): string {
  return [tableHead(head), ...rows.map(tableRow)].join('\n');
}
