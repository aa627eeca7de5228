/** The operation cannot be tried. The message says why. */
export class LeftOutError extends Error {
  override readonly name = 'LeftOutError';
}
