/** Says whether a run is sound, and writes its report as Markdown. */
import { table } from '../../../contract-tools/base.js';
import type { Harm } from './anomaly.js';
import type { FaultResult } from './fault-injection.js';
import type { Report } from './survive.js';

const harms: Readonly<Record<Harm, string>> = {
  lost: 'lost',
  doubled: 'doubled',
  wrong: 'wrong',
  outside: 'outside the contract',
};
const maxAnomalies = 20;

/**
 * Whether nothing is wrong, the service never ended by itself, everybody was served again after each fault,
 * and nobody noticed a hidden one.
 */
export function isSound({ anomalies, faultResults, crashes }: Report): boolean {
  return (
    anomalies.length === 0 &&
    crashes.length === 0 &&
    faultResults.every(({ servedAgain, isNoticed }) => servedAgain !== undefined && !isNoticed)
  );
}

export function toText(report: Report): string {
  const { seed, seconds, counts, owners, anomalies, faultResults, skipped, crashes } = report;
  const statuses = [...counts.statuses].sort(([one], [other]) => one - other);
  const answers = statuses.reduce((sum, [, times]) => sum + times, 0);
  return [
    tableOf(faultResults),
    '',
    ...skipped.map((text) => `skipped: ${text}`),
    `${faultResults.length} faults in ${Math.round(seconds)} s, seed ${seed}; ${owners} owners.`,
    `${answers} answers (${statuses.map(([status, times]) => `${times} times ${status}`).join(', ')}), ${counts.silent} requests without one.`,
    `${counts.writes} acknowledged writes, ${counts.lists} lists; ${counts.refused} requests refused, ${counts.unknown} of unknown outcome.`,
    ...anomalies
      .slice(0, maxAnomalies)
      .map(({ harm, text, times }) => `${harms[harm]}: ${text}${times > 1 ? ` (${times} times)` : ''}`),
    ...(anomalies.length > maxAnomalies ? [`… and ${anomalies.length - maxAnomalies} more`] : []),
    ...faultResults
      .filter(({ servedAgain }) => servedAgain === undefined)
      .map(({ fault }) => `not served again: ${fault}`),
    ...crashes.map((words) => `ended by itself: ${words}`),
    ...faultResults.filter(({ isNoticed }) => isNoticed).map(({ fault }) => `noticed by clients: ${fault}`),
    `${Object.entries(harms)
      .map(([harm, words]) => `${anomalies.filter((one) => one.harm === harm).length} ${words}`)
      .join(', ')}.`,
  ].join('\n');
}

/** Writes a table of the median and the worst time of each fault, in seconds. */
function tableOf(faultResults: readonly FaultResult[]): string {
  const names = [...new Set(faultResults.map(({ fault }) => fault))].sort();
  const rows = names.map((name) => {
    const all = faultResults.filter(({ fault }) => fault === name);
    return [
      name,
      all.length,
      figures(all.map(({ longest }) => longest)),
      figures(all.map(({ servedAgain }) => servedAgain ?? Number.POSITIVE_INFINITY)),
      sum(all.map(({ refused }) => refused)),
      sum(all.map(({ unknown }) => unknown)),
    ];
  });
  const head = ['fault', 'times', 'nobody served, s', 'served after its end, s', 'refused', 'unknown'];
  return table(head, rows);
}

function figures(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const [median = 0, worst = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const words = (value: number) => (value / 1_000).toFixed(2);
  return sorted.length === 1 ? words(worst) : `${words(median)} (worst ${words(worst)})`;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
