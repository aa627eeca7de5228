import type { Operation } from '../document/operations.js';

/** Has the form of the schema `Error`. */
interface Failure<Status extends number> {
  readonly status: Status;
  readonly body: { readonly error: Status; readonly message: string };
}

/** @param message one sentence for the caller */
export function failure<const Status extends number>(status: Status, message: string): Failure<Status> {
  return { status, body: { error: status, message } };
}

/** For failures outside of operations: the documented failures' common type, or JSON. */
export function failureTypeOf(operations: readonly Operation[]): string {
  const types = operations.flatMap(({ responses }) =>
    Array.from(responses, ([status, { content }]) => (status < 400 ? undefined : content?.mediaType)),
  );
  const [only, ...others] = new Set(types.filter((type) => type !== undefined));
  return others.length > 0 || only === undefined ? 'application/json' : only;
}
