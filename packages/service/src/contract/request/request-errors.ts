/**
 * What is wrong with a request before it reaches its handler. packages/service/src/http/error-answers.ts turns these into
 * answers.
 */

/**
 * A request does not fit the contract, so the answer is a 400. The message says where the fault is, and what
 * must hold. The client gets it as it is.
 */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

export class UnsupportedMediaTypeError extends Error {
  override readonly name = 'UnsupportedMediaTypeError';
}

export class UnknownPathError extends Error {
  override readonly name = 'UnknownPathError';

  constructor() {
    super('There is nothing at this path.');
  }
}

export class MethodNotAllowedError extends Error {
  override readonly name = 'MethodNotAllowedError';
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[]) {
    super(`This path has the methods ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
}
