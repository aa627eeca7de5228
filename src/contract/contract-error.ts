/** The YAML is wrong. The message has a sentence per fault, each with its place. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** The message of an error of Ajv, of the OpenAPI parser, or of this folder. */
export function messageOf(error: unknown): string {
  // All of them throw only Errors.
  return (error as Error).message;
}
