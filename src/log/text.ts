import { tokenLike } from './token-like.js';

/** A URL can have 16 KiB, and anybody can send one, so the log has less of it. */
const maxCharacters = 1_024;

/**
 * A client's text without the tokens that it holds or decodes to, and cut at 1 KiB. "…" stands for what is
 * left out.
 */
export function textForLog(text: string): string {
  const plain = withoutTokens(text);
  if (plain.length <= maxCharacters) return plain;
  // An escape that is cut in two would not be percent-encoding any more.
  return `${plain.slice(0, maxCharacters).replace(/%[0-9A-F]?$/i, '')}…`;
}

function withoutTokens(text: string): string {
  if (!text.includes('%')) return text.replaceAll(tokenLike, '$1$2…');
  const decoded = fullyDecoded(text);
  const plain = decoded.replaceAll(tokenLike, '$1$2…');
  // Without a token, the line shows what was sent: `a%2Fb` is not `a/b`.
  return plain === decoded ? text : plain;
}

/**
 * Decodes until no percent-encoding is left, however often the text was encoded: `%2570` is `%70`, which is
 * `p`.
 *
 * It reads from the end, so that the digits behind a `%` are already decoded when it gets there. So one pass
 * is enough. Decoding the text again and again could take a pass for every two characters: `%7%3%3%30` takes
 * four.
 */
function fullyDecoded(text: string): string {
  // The decoded text behind `at`, in reverse order.
  const decoded: string[] = [];
  for (let at = text.length - 1; at >= 0; at--) {
    let character = text.charAt(at);
    while (character === '%') {
      const digits = `${decoded.at(-1)}${decoded.at(-2)}`;
      if (!/^[0-9A-F]{2}$/i.test(digits)) break;
      decoded.length -= 2;
      const byte = Number.parseInt(digits, 16);
      // JSON would write six bytes for a control character. Tokens consist of printable ASCII.
      character = byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '\ufffd';
    }
    decoded.push(character);
  }
  return decoded.reverse().join('');
}
