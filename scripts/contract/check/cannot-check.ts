/** The run was impossible; the message says in one line why, and what to do. */
export class CannotCheckError extends Error {
  override readonly name = 'CannotCheckError';
}
