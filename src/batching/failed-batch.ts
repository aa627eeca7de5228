import {
  DatabaseUnavailableError,
  OutcomeUnknownError,
  RefusedStatementError,
  RolledBackError,
} from '../database-errors.js';

/** Items that run at the same time: each may wait for a lock, with a connection of its own. */
const maxAtOnce = 2;

/** The others of its batch can succeed without it. */
export function mayBeOneItem(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return error instanceof RolledBackError;
  return !(error instanceof RefusedStatementError);
}

/**
 * Runs the items of a failed batch again. If the database is not available for one, those that are left fail, too.
 *
 * @param run answers the item, and returns why it failed
 */
export async function runEachAlone<Item extends { reject(error: unknown): void }>(
  batch: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = [...batch];
  const runRest = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const error = await run(next);
      if (error instanceof DatabaseUnavailableError)
        for (const { reject } of left.splice(0)) reject(withoutRun(error));
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, runRest));
}

/** For an item that was not run, because another one failed. */
function withoutRun(error: DatabaseUnavailableError): DatabaseUnavailableError {
  return error instanceof OutcomeUnknownError ? new DatabaseUnavailableError(error.cause) : error;
}
