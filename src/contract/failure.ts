import type { Operation } from './operations.js';

/** An answer to a failure, in the form of the contract's schema Error. */
export interface Failure<Status extends number> {
  readonly status: Status;
  readonly body: { readonly error: Status; readonly message: string };
}

/**
 * Makes the answer of a handler that cannot do what is asked. A status that the operation does not document
 * is a compile error.
 *
 * @param message one sentence for the caller
 */
export function failure<const Status extends number>(status: Status, message: string): Failure<Status> {
  return { status, body: { error: status, message } };
}

/** The media type of failures outside of operations: the one that all documented failures share, or JSON. */
export function failureTypeOf(operations: readonly Operation[]): string {
  const types = operations.flatMap(({ responses }) =>
    Array.from(responses, ([status, { content }]) => (status < 400 ? undefined : content?.mediaType)),
  );
  const [only, ...others] = new Set(types.filter((type) => type !== undefined));
  return others.length > 0 || only === undefined ? 'application/json' : only;
}
