import type { Operation } from './operations.js';

/** The form of every answer that tells of a failure: the schema Error of the contract. */
export interface Failure<Status extends number> {
  readonly status: Status;
  readonly body: { readonly error: Status; readonly message: string };
}

/**
 * What a handler answers if it cannot do what is asked. The contract documents the status under its operation, or
 * TypeScript says that it does not.
 *
 * @param message one sentence for the caller
 */
export function failure<const Status extends number>(status: Status, message: string): Failure<Status> {
  return { status, body: { error: status, message } };
}

/** The media type of failures that belong to no operation: the one that all documented failures share, if they do. */
export function failureTypeOf(operations: readonly Operation[]): string {
  const types = operations.flatMap(({ responses }) =>
    Array.from(responses, ([status, { content }]) => (status < 400 ? undefined : content?.mediaType)),
  );
  const [only, ...others] = new Set(types.filter((type) => type !== undefined));
  return others.length > 0 || only === undefined ? 'application/json' : only;
}
