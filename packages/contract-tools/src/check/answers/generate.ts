/** Generates cases by fast-check, and finds the smallest one that fails. */
import fc from 'fast-check';
import { HaltedError } from '../requests/exchange.js';
import type { Run } from './run.js';

/** The number of failing cases that are tried in search of a smaller one. */
const maxShrinks = 100;

/**
 * Tries generated cases in as many lanes as there are connections, and shrinks those that fail. The seed of
 * each lane follows from the run's seed, so the same seed repeats the same cases.
 *
 * @param count the number of cases of all lanes together, without those that are tried in search of a smaller
 *   one
 * @param tryOne returns whether all is well, and records faults, so that the smallest case is kept there
 * @throws whatever `tryOne` has thrown, once all lanes have ended; a HaltedError ends them without an error
 */
export async function tryGenerated<Value>(
  run: Run,
  count: number,
  values: fc.Arbitrary<Value>,
  tryOne: (value: Value) => Promise<boolean>,
): Promise<void> {
  const lanes = run.connections;
  let thrown: unknown;
  const lane = async (index: number): Promise<void> => {
    let failures = 0;
    const property = fc.asyncProperty(values, async (value) => {
      // Once enough was seen, every case passes, which ends the shrinking.
      if (failures > maxShrinks || run.signal.aborted || thrown !== undefined) return true;
      try {
        const well = await tryOne(value);
        if (!well) failures++;
        return well;
      } catch (error) {
        // The run has ended, so there is no case to shrink.
        if (!(error instanceof HaltedError)) thrown = error;
        return true;
      }
    });
    await fc.check(property, { seed: run.seed + index, numRuns: Math.ceil(count / lanes) });
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  if (thrown !== undefined) throw thrown;
}
