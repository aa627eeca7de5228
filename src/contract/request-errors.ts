// Errors of a request before its operation is called. src/errors.ts has their answers.

/** The request does not fit the contract. The message says where, and what must hold. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** The operation does not take a body of this form. */
export class UnsupportedMediaTypeError extends Error {
  override readonly name = 'UnsupportedMediaTypeError';
}

/** The contract has no such path. */
export class UnknownPathError extends Error {
  override readonly name = 'UnknownPathError';
}

/** The contract has the path with other methods. */
export class MethodNotAllowedError extends Error {
  override readonly name = 'MethodNotAllowedError';
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[]) {
    super(`This path has the methods ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
}
