import { setTimeout as pause } from 'node:timers/promises';

export interface Rate {
  readonly perSecond: number;
  readonly seconds: number;
  /** Aborted if the load is to end earlier. */
  readonly end?: AbortSignal;
}

/**
 * Starts tasks at a steady rate, however many are in flight, and waits for all of them. So slow answers do
 * not lower the rate, as they would with a client that waits for each.
 */
export async function atSteadyRate<Result>(
  { perSecond, seconds, end }: Rate,
  task: (number: number) => Promise<Result>,
): Promise<Result[]> {
  const begin = performance.now();
  const total = Math.round(perSecond * seconds);
  const tasks: Promise<Result>[] = [];
  while (tasks.length < total && !end?.aborted) {
    const due = Math.floor(((performance.now() - begin) * perSecond) / 1_000) + 1;
    while (tasks.length < Math.min(due, total)) {
      const started = task(tasks.length);
      // The failure is thrown below, once all are started.
      started.catch(() => {});
      tasks.push(started);
    }
    const next = begin + (tasks.length * 1_000) / perSecond;
    await pause(Math.max(1, next - performance.now()), undefined, { signal: end }).catch(() => {});
  }
  return Promise.all(tasks);
}
