import { createHash } from 'node:crypto';

/** Ignores comments and layout. */
export function digestOf(document: object): string {
  return createHash('sha256').update(JSON.stringify(document)).digest('base64url');
}
