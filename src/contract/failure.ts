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
