import { visible } from '../../../../exact-json/index.js';

/**
 * Writes a value as JSON for a program. The program reads each text as it was, and a terminal or a workflow
 * that prints the JSON obeys nothing in it: what other reports show as `\u{1b}` is `\u001b` here.
 *
 * @param change is applied to each text of the value
 */
export function jsonText(value: object, change: (text: string) => string): string {
  const written = JSON.stringify(
    value,
    (_name, part: unknown) => (typeof part === 'string' ? change(part) : part),
    2,
  );
  return written
    .split('\n')
    .map((line) => visible(line, escapeInJson))
    .join('\n');
}

/** RFC 8259, section 7: a character beyond U+FFFF is a pair of escapes. */
function escapeInJson(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
