/** Ends the start with its message alone, which tells a person what to do. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
