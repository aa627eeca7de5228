/**
 * Makes a text from outside fit for one line of a report, a terminal or a workflow's log. A contract, a
 * request or a server's answer can hold any characters, and some of them are commands to whoever prints them:
 *
 * - A line end begins a line of its own. GitHub Actions obeys a line that begins with `::error`, wherever in
 *   the output it stands, and a reader takes it for a line of the tool.
 * - An escape sequence (ESC, or CSI in one character, U+009B) moves the cursor of a terminal or clears it.
 * - Bidirectional controls and invisible characters make a line look as if it said something else (CVE-2021-42574).
 * - Runners obey `##[error]`, `##vso[…]` and `##teamcity[…]` even in the middle of a line.
 *
 * For example, a line end becomes the two characters `\n`, and ESC becomes `\u{1b}`. A text that was made
 * visible stays as it is if it is made visible again.
 */

/** Control, format, private, unassigned and half characters; line and paragraph separators; the hard space. */
const invisible = /[\p{C}\u2028\u2029\u00a0]/gu;
/** The beginning of a command to a runner: `::` after nothing but spaces, or `##` with a word and a bracket. */
const runnerCommand = /^( *):(?=:)|#(?=#\w{0,20}\[)/g;

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/**
 * @param escaped writes a character as visible ones
 * @returns the text in one line, in which every character can be seen and none is obeyed
 */
export function visible(text: string, escaped = escapeOf): string {
  return text
    .replace(invisible, (character) => escaped(character))
    .replace(runnerCommand, (_, spaces: string | undefined) =>
      spaces === undefined ? escaped('#') : `${spaces}${escaped(':')}`,
    );
}

function escapeOf(character: string): string {
  return shortEscapes.get(character) ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
