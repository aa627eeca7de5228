/** The limits that can be reached, and the failures of requests that are refused because of them. */
import { ServiceUnavailableError } from './unavailable.js';

/** The reason that an OverloadError has, and the message of the 503 for the client. */
export const overloads = {
  'owner requests in flight': 'Too many requests of yours are not answered yet: send fewer at a time.',
  'requests in flight': 'The service is busy: try again later.',
  'owner requests': 'Too many requests of yours are waiting: send fewer at a time.',
  requests: 'The service is busy: try again later.',
  tokens: 'The service is busy: try again later.',
  connections: 'The database is busy: try again later.',
  'owner lists': 'You are reading too many long lists: read fewer at a time.',
  lists: 'Too many long lists are being read: try again later.',
  JWTs: 'Too many access tokens are being checked: try again later.',
} as const;

/** A limit is reached, so the request is refused before anything was done. The database may be well. */
export class OverloadError extends ServiceUnavailableError {
  override readonly name = 'OverloadError';
  readonly reason: keyof typeof overloads;

  constructor(reason: OverloadError['reason'], message: string) {
    super(`Refused: ${message}.`);
    this.reason = reason;
  }
}

/** The request has waited too long for its turn. It was not carried out. */
export class WaitedTooLongError extends ServiceUnavailableError {
  override readonly name = 'WaitedTooLongError';

  constructor() {
    super('Refused: the time of the request was nearly over before its turn came.');
  }
}
