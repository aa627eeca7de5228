import { table } from '../../kit/report/table.js';
import type { Summary } from './statistics.js';

export type Row = readonly string[];

export interface Table {
  readonly title: string;
  readonly head: Row;
  readonly rows: readonly Row[];
}

export function tableAsText({ title, head, rows }: Table): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)),
  );
  const line = (row: Row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  return [title, ...[head, ...rows].map(line)].join('\n');
}

export function tableAsMarkdown({ title, head, rows }: Table): string {
  return [`## ${title}`, '', table(head, rows)].join('\n');
}

export function withSpread({ median, low, high }: Summary): string {
  return `${written(median)} (${written(low)}–${written(high)})`;
}

/** Writes three digits of a figure. More would be noise. */
function written(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
