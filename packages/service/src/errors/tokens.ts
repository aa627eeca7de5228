/** The failures of a check of an access token. */
import { ServiceUnavailableError } from './unavailable.js';

/**
 * The token is not accepted, so the answer is a 401. The message must not have quotes, because it becomes a
 * quoted string in the header `WWW-Authenticate`.
 */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
  /** The status by which `checksOf` of security-checks.ts knows that it may try the next alternative. */
  readonly statusCode = 401;

  constructor(message = 'The access token is malformed, unknown, expired or revoked.') {
    super(message);
  }
}

/** Nobody can say now whether the token is good. */
export class IssuerUnavailableError extends ServiceUnavailableError {
  override readonly name = 'IssuerUnavailableError';

  constructor(cause: unknown) {
    super('The issuer of this access token cannot be asked for its keys: try again later.', { cause });
  }
}
