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
    timer = setTimeout(() => reject(late()), deadline - performance.now());
  });
  return Promise.race([promise, isLate]).finally(() => clearTimeout(timer));
}
