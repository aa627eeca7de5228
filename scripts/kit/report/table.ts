type Row = readonly (string | number)[];

/** A row of a table in Markdown. */
export function tableRow(cells: Row): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The first two lines of a table in Markdown. */
export function tableHead(cells: Row): string {
  return [cells, cells.map(() => '---')].map(tableRow).join('\n');
}

export function table(head: Row, rows: readonly Row[]): string {
  return [tableHead(head), ...rows.map(tableRow)].join('\n');
}
