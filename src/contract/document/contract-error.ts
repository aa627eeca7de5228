/** A sentence for each fault, with its place. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

export function messageOf(error: unknown): string {
  // Our libraries throw only Errors.
  return (error as Error).message;
}
