import type { OverloadError } from './database.js';

/** The message of the 503 for each limit that can be reached. */
export const overloads: Readonly<Record<OverloadError['reason'], string>> = {
  'owner requests in flight': 'Too many requests of yours are not answered yet: send fewer at a time.',
  'requests in flight': 'The service is busy: try again later.',
  'owner requests': 'Too many requests of yours are waiting: send fewer at a time.',
  requests: 'The service is busy: try again later.',
  tokens: 'The service is busy: try again later.',
  statements: 'The service is busy: try again later.',
  connections: 'The database is busy: try again later.',
  'owner lists': 'You are reading too many long lists: read fewer at a time.',
  lists: 'Too many long lists are being read: try again later.',
  JWTs: 'Too many access tokens are being checked: try again later.',
};
