// What a store can say about a resource, of whatever kind. Which answer each gets: src/errors.ts.

/** The owner has no such thing. The message is one sentence for the caller. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** The owner has another one under the same key already. The message is one sentence for the caller. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}
