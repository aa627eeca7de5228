import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { goalsMet, goalTables } from './goal-tables.js';
import { goals } from './goals.js';
import { painted } from './progress.js';
import { type Table, tableAsMarkdown, tableAsText, withSpread } from './report-table.js';
import { joined, type Measured, type Results } from './results.js';
import { ratios, summarize } from './statistics.js';

/** Writes the results into a folder, in all formats, and says so. */
export async function writeReport(folder: string, name: string, results: Results): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.txt`), toText(results, false));
  await writeFile(join(folder, `${name}.json`), toJson(results));
  await writeFile(join(folder, `${name}.md`), toMarkdown(results));
  const place = relative(process.cwd(), folder) || '.';
  return `Written to ${place}: ${name}.txt, .json and .md.`;
}

/** What was written by this name before; undefined if there is nothing. */
export async function readReport(folder: string, name: string): Promise<Results | undefined> {
  const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The goals alone, of all reports of these names in the folder. */
export async function writeGoals(folder: string, names: readonly string[]): Promise<void> {
  const reports = await Promise.all(names.map((name) => readReport(folder, name)));
  const all = joined(
    'The goals, met and missed',
    reports.flatMap((report) => report ?? []),
  );
  const intro = [goalsMet(all), 'The reports beside this file have the figures.'].join(' ');
  await writeFile(
    join(folder, 'goals.md'),
    markdownOf(all.title, [intro, ...all.conditions, ...runsOf(all)], goalTables(all)),
  );
}

/** In colour on a terminal, unless the text goes elsewhere. */
export function toText(results: Results, inColour = true): string {
  const tables = tablesOf(results).map(tableAsText);
  const text = [results.title, conditionsOf(results).join('\n'), ...tables].join('\n\n');
  if (!inColour) return `${text}\n`;
  return `${text
    .replaceAll(/\bmet by [0-9]+ %/g, (verdict) => painted(32, verdict))
    .replaceAll(/\bmissed by [0-9]+ %/g, (verdict) => painted(31, verdict))}\n`;
}

export function toMarkdown(results: Results): string {
  return markdownOf(results.title, conditionsOf(results), tablesOf(results));
}

function markdownOf(title: string, conditions: readonly string[], tables: readonly Table[]): string {
  const origin =
    '<!-- Written by `npm run bench`, like the files beside it; docs/benchmarks.md explains it. -->';
  const list = conditions.map((condition) => `- ${condition}`).join('\n');
  return `${[`# ${title}`, origin, list, ...tables.map(tableAsMarkdown)].join('\n\n')}\n`;
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

function conditionsOf(results: Results): string[] {
  const met = goalsMet(results);
  return [
    ...results.conditions,
    ...runsOf(results),
    'Medians; in brackets the middle half of the rounds, in tables of goals the bound.',
    ...results.missing.map((sentence) => `Missing: ${sentence}`),
    ...(met === undefined ? [] : [met]),
  ];
}

function runsOf({ runs }: Results): string[] {
  return Object.entries(runs).map(([name, run]) => `${name}: ${run}`);
}

function tablesOf(results: Results): Table[] {
  const measured = results.measured.filter(({ series }) => series.length > 0);
  return [
    ...goalTables(results),
    ...measured.flatMap((one) => (isComparison(one) ? [besideFirst(one), sideBySide(one)] : tableOf(one))),
  ];
}

/** Whether several contestants did the same amounts of work. */
function isComparison({ axis, series }: Measured): boolean {
  return axis !== undefined && new Set(series.map(({ name }) => name)).size > 1;
}

/** A row for each amount of work, a column for each contestant. */
function sideBySide(measured: Measured): Table {
  return byAmount(measured, figureTitle(measured), columnsOf(measured));
}

/** The first contestant's figures, and their ratios to those of the others in the same round. */
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
