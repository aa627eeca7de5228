import { quantile } from '../statistics.js';
import type { Answer } from './connection.js';

/** Latencies in milliseconds; NaN if nothing was answered. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

export function latenciesOf(answers: readonly Answer[]): Latencies {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}
