import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { painted } from '../../kit/progress.js';
import { type Goal, marginOf } from './goal.js';
import { goals } from './goals.js';
import { type Row, type Table, tableAsMarkdown, tableAsText, withSpread } from './report-table.js';
import type { Measured, Results } from './results.js';
import { ratios, summarize } from './statistics.js';

/**
 * Writes the results into a folder, as a page that a person reads.
 *
 * @returns a sentence that says where
 */
export async function writeReport(folder: string, name: string, results: Results): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.md`);
  await writeFile(file, toMarkdown(results));
  return `Written to ${relative(process.cwd(), file)}.`;
}

/** Writes the results for a terminal, with colours if stdout is one. */
export function toText(results: Results): string {
  const tables = tablesOf(results).map(tableAsText);
  const text = [results.title, conditionsOf(results).join('\n'), ...tables].join('\n\n');
  return `${text
    .replaceAll(/\bmet by [0-9]+ %/g, (verdict) => painted(32, verdict))
    .replaceAll(/\bmissed by [0-9]+ %/g, (verdict) => painted(31, verdict))}\n`;
}

export function toMarkdown(results: Results): string {
  const origin = '<!-- Written by `npm run bench`; docs/benchmarks.md explains it. -->';
  const list = conditionsOf(results)
    .map((condition) => `- ${condition}`)
    .join('\n');
  return `${[`# ${results.title}`, origin, list, ...tablesOf(results).map(tableAsMarkdown)].join('\n\n')}\n`;
}

function conditionsOf(results: Results): string[] {
  const met = goalsMet(results);
  return [
    ...results.conditions,
    ...Object.entries(results.runs).map(([name, run]) => `${name}: ${run}`),
    'Medians; in brackets the middle half of the rounds, in tables of goals the bound.',
    ...results.missing.map((sentence) => `Missing: ${sentence}`),
    ...(met === undefined ? [] : [met]),
  ];
}

function tablesOf(results: Results): Table[] {
  const measured = results.measured.filter(({ series }) => series.length > 0);
  return [
    ...goalTable(results),
    ...measured.flatMap((one) => (isComparison(one) ? [besideFirst(one), sideBySide(one)] : tableOf(one))),
  ];
}

/** @returns whether several contestants did the same amounts of work */
function isComparison({ axis, series }: Measured): boolean {
  return axis !== undefined && new Set(series.map(({ name }) => name)).size > 1;
}

/** A table with a row for each amount of work, and a column for each contestant. */
function sideBySide(measured: Measured): Table {
  return byAmount(measured, figureTitle(measured), columnsOf(measured));
}

/** A table of the first contestant's figures, with their ratios to those of the others in the same round. */
function besideFirst(measured: Measured): Table {
  const [first, ...others] = columnsOf(measured);
  const columns = others.map(({ head, values }) => ({
    head: `÷ ${head}`,
    values: (amount: number) => ratios(first?.values(amount) ?? [], values(amount)),
  }));
  const title = `${figureTitle(measured)}: ratios`;
  return byAmount(measured, title, first === undefined ? columns : [first, ...columns]);
}

interface Column {
  readonly head: string;
  /** The values of all rounds. */
  values(amount: number): readonly number[];
}

function columnsOf({ series }: Measured): Column[] {
  const titles = new Map(series.map(({ name, title }) => [name, title]));
  return Array.from(titles, ([contestant, head]) => ({
    head,
    values: (amount) => series.find(({ name, at }) => name === contestant && at === amount)?.values ?? [],
  }));
}

function byAmount({ axis, series }: Measured, title: string, columns: readonly Column[]): Table {
  const rows = Array.from(new Set(series.map(({ at }) => at ?? 0)), (amount) => [
    amount.toLocaleString('en'),
    ...columns.map(({ values }) => {
      const summary = summarize(values(amount));
      return summary === undefined ? '' : withSpread(summary);
    }),
  ]);
  return { title, head: [axis ?? '', ...columns.map(({ head }) => head)], rows };
}

function figureTitle({ title, unit, better }: Measured): string {
  return `${title}${unit === 'per second' ? '' : `, ${unit}`} (${better} is better)`;
}

function tableOf({ title, unit, axis, series, better }: Measured): Table {
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
      ratio === undefined || one === other || Number.isNaN(ratio.median) ? '' : withSpread(ratio),
    ];
  });
  return { title: `${title} (${better} is better)`, head, rows };
}

/** A table of the goals whose figures were measured; no table if none was. */
function goalTable(results: Results): Table[] {
  const rows = goals.flatMap((goal) => rowOf(goal, results) ?? []);
  const head = ['', 'median', 'at least or at most', ''];
  return rows.length === 0 ? [] : [{ title: 'Goals', head, rows }];
}

function rowOf(goal: Goal, results: Results): [Row] | undefined {
  const { name, better, bound, unit, values } = goal;
  const summary = summarize(values(results));
  const margin = marginOf(goal, results);
  if (summary === undefined || margin === undefined) return undefined;
  const figure = withSpread(summary) + (unit === undefined ? '' : ` ${unit}`);
  const words = `${better === 'more' ? 'at least' : 'at most'} ${bound}`;
  const verdict = `${margin >= 0 ? 'met' : 'missed'} by ${Math.abs(Math.round(margin * 100))} %`;
  return [[name, figure, words, verdict]];
}

/** @returns a sentence that says how many goals are met; undefined if the figure of none was measured */
function goalsMet(results: Results): string | undefined {
  const margins = goals.flatMap((goal) => marginOf(goal, results) ?? []);
  const met = margins.filter((margin) => margin >= 0).length;
  return margins.length === 0 ? undefined : `${met} of ${margins.length} goals met, by their medians.`;
}
