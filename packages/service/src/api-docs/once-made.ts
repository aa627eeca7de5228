/**
 * Makes a function that makes a value at its first call, and returns the same one at later calls. If `make`
 * fails, the function rejects with that failure, but does not keep it: the next call tries again, because it
 * may be a passing one, such as too many open files.
 */
export function onceMade<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
