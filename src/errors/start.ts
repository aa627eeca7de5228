/** Ends the start with its message alone. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
