/** The YAML is wrong: one sentence per fault, each with its place. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** What Ajv, the parser of OpenAPI and this folder say when they fail. */
export function messageOf(error: unknown): string {
  // None of them throws anything but an Error.
  return (error as Error).message;
}
