/** An answer that says what went wrong. Its body has the form of the contract's schema `Error`. */
interface Failure<Status extends number> {
  readonly status: Status;
  readonly body: { readonly error: Status; readonly message: string };
}

/**
 * Makes an answer for a handler that says what went wrong.
 *
 * @param message one sentence for the caller
 */
export function failure<const Status extends number>(status: Status, message: string): Failure<Status> {
  return { status, body: { error: status, message } };
}
