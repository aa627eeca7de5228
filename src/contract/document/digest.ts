import { createHash } from 'node:crypto';

/** @param text of the YAML: comments and layout count, because they move what `place` names */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
