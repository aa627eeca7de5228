import { createHash } from 'node:crypto';

/**
 * @param text the YAML with its comments and layout, which count because they move the lines that messages
 * name
 * @returns its SHA-256 in base64url
 */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
