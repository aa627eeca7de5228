/** Counts equal results, the most frequent first: "413 for 16, EPIPE for 14 of 30". */
export function tally(results: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const result of results) counts.set(result, (counts.get(result) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return `${sorted.map(([result, times]) => `${result} for ${times}`).join(', ')} of ${results.length}`;
}

export function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 0)} s`;
}

/** @returns the code of a failed system call, such as EPIPE, or else the message */
export function codeOrMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
