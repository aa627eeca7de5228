/** The goals as tables: each figure with its bound, and by how much it is met or missed. */
import { type Goal, marginOf } from './goal.js';
import { goals } from './goals.js';
import { type Row, type Table, withSpread, written } from './report-table.js';
import type { Results } from './results.js';
import { summarize } from './statistics.js';

export function goalTables(results: Results): Table[] {
  const measured = goals.filter(({ values }) => values(results).length > 0);
  const single = measured.filter(({ place }) => place === undefined);
  const names = new Set(measured.flatMap(({ place }) => place?.table ?? []));
  const tables = [
    {
      title: 'Ratios and bounds',
      head: ['', 'median', 'at least or at most', ''],
      rows: single.map((goal) => singleRow(goal, results)),
    },
    ...Array.from(names, (name) => tableOf(name, measured, results)),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

/** How many of the goals with a bound are met; undefined if none was measured. */
export function goalsMet(results: Results): string | undefined {
  const margins = goals.flatMap((goal) => marginOf(goal, results) ?? []);
  const met = margins.filter((margin) => margin >= 0).length;
  return margins.length === 0 ? undefined : `${met} of ${margins.length} goals met, by their medians.`;
}

function singleRow(goal: Goal, results: Results): Row {
  const { name, better, bound, unit, values } = goal;
  const summary = summarize(values(results));
  const figure = summary === undefined ? '' : withSpread(summary);
  const words = bound === undefined ? '' : `${better === 'more' ? 'at least' : 'at most'} ${bound}`;
  return [name, figure + (unit === undefined ? '' : ` ${unit}`), words, verdict(goal, results)];
}

/** A row for each number of connections, a column for each figure. */
function tableOf(table: string, all: readonly Goal[], results: Results): Table {
  const here = all.flatMap((goal) => (goal.place?.table === table ? { goal, ...goal.place } : []));
  const columns = [...new Map(here.map(({ column, goal }) => [column, goal.better]))];
  const rows = Array.from(new Set(here.map(({ at }) => at)), (at) => [
    at.toLocaleString('en'),
    ...columns.map(([name]) => {
      const found = here.find(({ column, at: other }) => column === name && other === at);
      return found === undefined ? '' : cellOf(found.goal, results);
    }),
  ]);
  const heads = columns.map(([name, better]) => `${name} (at ${better === 'more' ? 'least' : 'most'})`);
  return { title: table, head: ['connections', ...heads], rows };
}

function cellOf(goal: Goal, results: Results): string {
  const median = summarize(goal.values(results))?.median ?? Number.NaN;
  const bound = goal.bound === undefined ? '' : ` (${goal.bound}) ${verdict(goal, results)}`;
  return `${written(median)}${bound}`;
}

function verdict(goal: Goal, results: Results): string {
  const margin = marginOf(goal, results);
  if (margin === undefined) return '';
  return `${margin >= 0 ? 'met' : 'missed'} by ${Math.abs(Math.round(margin * 100))} %`;
}
