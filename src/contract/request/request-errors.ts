// Thrown before the handler. src/http/error-answers.ts has the answers.

/** The message says where, and what must hold. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

export class UnsupportedMediaTypeError extends Error {
  override readonly name = 'UnsupportedMediaTypeError';
}

export class UnknownPathError extends Error {
  override readonly name = 'UnknownPathError';
}

export class MethodNotAllowedError extends Error {
  override readonly name = 'MethodNotAllowedError';
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[]) {
    super(`This path has the methods ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
}
