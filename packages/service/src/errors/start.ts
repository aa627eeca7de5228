/** A failure of the start that its message explains, so that no stack is printed. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
