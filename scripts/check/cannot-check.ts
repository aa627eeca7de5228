/** The run could not be done; one line says why, and what to do. */
export class CannotCheckError extends Error {
  override readonly name = 'CannotCheckError';
}
