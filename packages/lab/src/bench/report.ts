/** Writes the tables of a run, in Markdown. */
import { table } from '../../../contract-tools/base.js';
import { type Measured, median, ratiosOf, seriesOf } from './rounds.js';

/**
 * Writes a table with a row for each contestant and a column for each amount of work. In brackets is the
 * ratio of the first contestant's figure to this one, by the medians of ratios within a round.
 */
export function figureTable({ name, title, axis, series }: Measured): string {
  const amounts = [...new Set(series.map(({ at }) => at))];
  const contestants = new Map(series.map((one) => [one.name, one.title]));
  const [first = ''] = contestants.keys();
  const valuesAt = (contestant: string, at: number) =>
    seriesOf([{ name, title, axis, series }], name, contestant, at)?.values ?? [];
  const rows = Array.from(contestants, ([contestant, words]) => [
    words,
    ...amounts.map((at) => {
      const values = valuesAt(contestant, at);
      if (values.length === 0) return '';
      if (contestant === first) return figure(median(values));
      return `${figure(median(values))} (${figure(median(ratiosOf(valuesAt(first, at), values)))})`;
    }),
  ]);
  return `### ${title}\n\n${table([axis, ...amounts.map((at) => at.toLocaleString('en'))], rows)}`;
}

/** Writes three digits of a figure. More would be noise. */
function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
