/**
 * Makes a text that a client chose, such as a URL, fit for the log. A client can put its token into a URL by
 * mistake, and anybody can send long ones again and again.
 *
 * For example, `/plants?key=plant_0aB` becomes `/plants?key=plant_…`.
 */
import { withoutTokens } from './token-like.js';

/** A URL can have 16 KiB. */
const maxCharacters = 1_024;

/**
 * @returns the text without the tokens that it holds or decodes to, without what is percent-encoded several
 * times, and cut at 1,024 characters. "…" stands for what is left out
 */
export function textForLog(text: string): string {
  const plain = withoutEncodedTokens(text);
  if (plain.length <= maxCharacters) return plain;
  // An escape that is cut in two would not be percent-encoding any more.
  return `${plain.slice(0, maxCharacters).replace(/%[0-9A-F]?$/i, '')}…`;
}

function withoutEncodedTokens(text: string): string {
  if (!text.includes('%')) return withoutTokens(text);
  const decoded = text.replaceAll(/%([\da-f]{2})/gi, (_escape, digits) => {
    const byte = Number.parseInt(digits, 16);
    // JSON would write six bytes for a control character. Tokens consist of printable ASCII.
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '\ufffd';
  });
  const [once = '', more] = decoded.split(/%(?=[\da-f%])/i, 2);
  // It was encoded several times. What is left of it can decode to a token, together with the word before it.
  if (more !== undefined) return `${withoutTokens(withoutLastWord(once))}…`;
  const plain = withoutTokens(decoded);
  // Without a token, the line shows what was sent: `a%2Fb` is not `a/b`.
  return plain === decoded ? text : plain;
}

/** The characters that end a word of a URL. */
const delimiters = ['/', '?', '&', '='];

function withoutLastWord(text: string): string {
  const lastDelimiter = Math.max(...delimiters.map((delimiter) => text.lastIndexOf(delimiter)));
  return text.slice(0, lastDelimiter + 1);
}
