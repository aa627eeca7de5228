import type { Credential } from './credentials.js';
import type { Description, Operation } from './description.js';
import type { Exchange } from './exchange.js';
import type { Meaning } from './meaning.js';
import type { Runner } from './runner.js';

/** What every probe works with. */
export interface Run extends Runner {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly meaning: Meaning;
  readonly token: Credential | undefined;
  /** A token of another owner. */
  readonly otherToken: Credential | undefined;
  /** A token that was revoked. */
  readonly revokedToken: Credential | undefined;
}

export function isSafe({ method }: Operation): boolean {
  // RFC 9110, section 9.2.1.
  return ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);
}
