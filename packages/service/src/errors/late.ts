/**
 * Waits for a promise until a deadline. What the promise stands for goes on after it, so the caller decides
 * what becomes of that.
 *
 * @param deadline milliseconds of performance.now()
 * @throws {Error} what `late` makes, if the promise is not settled before the deadline
 */
export async function beforeDeadline<Value>(
  promise: Promise<Value>,
  deadline: number,
  late: () => Error,
): Promise<Value> {
  if (deadline === Number.POSITIVE_INFINITY) return promise;
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), millisecondsUntil(deadline));
  });
  return Promise.race([promise, isLate]).finally(() => clearTimeout(timer));
}

/**
 * @param deadline milliseconds of performance.now()
 * @returns how many are left: 0 if it is over, because Node.js 22 and later warn of a timer with less
 */
export function millisecondsUntil(deadline: number): number {
  return Math.max(0, deadline - performance.now());
}
