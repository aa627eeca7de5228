import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Goal, goals, isMet } from './goals.js';
import { painted } from './progress.js';
import type { Measured, Results } from './results.js';
import { ratios, type Summary, summarize } from './statistics.js';

type Row = readonly string[];
interface Table {
  readonly title: string;
  readonly head: Row;
  readonly rows: readonly Row[];
}

/** Writes the results into a folder, in all formats, and says so. */
export async function writeReport(folder: string, name: string, results: Results): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.txt`), toText(results, false));
  await writeFile(join(folder, `${name}.json`), toJson(results));
  await writeFile(join(folder, `${name}.md`), toMarkdown(results));
  const place = relative(process.cwd(), folder) || '.';
  return `Written to ${place}: ${name}.txt, .json and .md.`;
}

const spread = 'in brackets the middle half of the rounds';

/** In colour on a terminal, unless the text goes elsewhere. */
export function toText(results: Results, inColour = true): string {
  const tables = tablesOf(results).map(({ title, head, rows }) => {
    const widths = head.map((_, column) =>
      Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)),
    );
    const line = (row: Row) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
    return [title, ...[head, ...rows].map(line)].join('\n');
  });
  const text = [results.title, conditionsOf(results).join('\n'), ...tables].join('\n\n');
  if (!inColour) return `${text}\n`;
  return `${text.replaceAll(/\bmet$/gm, painted(32, 'met')).replaceAll(/\bmissed$/gm, painted(31, 'missed'))}\n`;
}

export function toMarkdown(results: Results): string {
  const tables = tablesOf(results).map(({ title, head, rows }) => {
    const line = (row: Row) => `| ${row.join(' | ')} |`;
    return [`## ${title}`, '', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
  });
  const conditions = conditionsOf(results).map((condition) => `- ${condition}`);
  const origin =
    '<!-- Written by `npm run bench`, like the files beside it; docs/benchmarks.md explains it. -->';
  return `${[`# ${results.title}`, origin, conditions.join('\n'), ...tables].join('\n\n')}\n`;
}

function toJson(results: Results): string {
  const measured = results.measured.map(({ series, ...measure }) => ({
    ...measure,
    series: series.map((one) => ({ ...one, ...summarize(one.values) })),
  }));
  const figures = goals.flatMap(({ name, better, bound, values }) => {
    const summary = summarize(values(results));
    return summary === undefined ? [] : { name, better, bound, ...summary };
  });
  return `${JSON.stringify({ ...results, measured, goals: figures }, undefined, 2)}\n`;
}

function conditionsOf({ conditions, missing }: Results): string[] {
  return [...conditions, `Medians; ${spread}.`, ...missing.map((sentence) => `Missing: ${sentence}`)];
}

function tablesOf(results: Results): Table[] {
  const rows = goals.flatMap((goal) => goalRow(goal, results) ?? []);
  const measured = results.measured.filter(({ series }) => series.length > 0).map(tableOf);
  if (rows.length === 0) return measured;
  return [
    { title: 'Ratios, round by round', head: ['', 'median', 'at least or at most', ''], rows },
    ...measured,
  ];
}

function goalRow(goal: Goal, results: Results): Row[] | undefined {
  const summary = summarize(goal.values(results));
  if (summary === undefined) return undefined;
  const { name, bound, better, unit } = goal;
  const met = isMet(goal, results);
  const words = bound === undefined ? '' : `${better === 'more' ? 'at least' : 'at most'} ${bound}`;
  const figure = withSpread(summary) + (unit === undefined ? '' : ` ${unit}`);
  return [[name, figure, words, met === undefined ? '' : met ? 'met' : 'missed']];
}

function tableOf(measured: Measured): Table {
  const { title, unit, axis, series, better } = measured;
  const [first] = series;
  const base = axis === undefined ? first?.title : `with ${(first?.at ?? 0).toLocaleString('en')}`;
  const head = ['', ...(axis === undefined ? [] : [axis]), unit, `÷ ${base}`];
  const rows = series.map((one) => {
    const other = axis === undefined ? first : series.find(({ name }) => name === one.name);
    const summary = summarize(one.values);
    const ratio = summarize(ratios(one.values, other?.values ?? []));
    return [
      one.title,
      ...(axis === undefined ? [] : [(one.at ?? 0).toLocaleString('en')]),
      summary === undefined ? '' : withSpread(summary),
      ratio === undefined || one === other ? '' : withSpread(ratio),
    ];
  });
  return { title: `${title} (${better} is better)`, head, rows };
}

function withSpread({ median, low, high }: Summary): string {
  return `${written(median)} (${written(low)}–${written(high)})`;
}

/** Three digits: more would be noise. */
function written(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
