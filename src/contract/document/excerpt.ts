import { readFileSync } from 'node:fs';
import { visible } from './visible.js';

/** How many characters of a line are shown. More would wrap in a terminal. */
const maxWidth = 120;

/**
 * Adds the line of the file, and a caret at the column, below each line of the form `file:line:column:
 * sentence`.
 *
 * @param read returns the text of a file, or an empty one if it cannot be read
 */
export function withExcerpts(message: string, read: (file: string) => string = readOrNothing): string {
  return message
    .split('\n')
    .flatMap((sentence) => {
      const [, file = '', line = '', column = ''] = /^(.*?):(\d+):(\d+): /.exec(sentence) ?? [];
      const text = file === '' ? undefined : read(file).split('\n')[Number(line) - 1];
      if (!text) return sentence;
      const cut = Math.max(0, Number(column) - maxWidth);
      const before = visible(text.slice(cut, Number(column) - 1));
      // The end of a line in a file of Windows is not a part of the line.
      const rest = visible(text.slice(Number(column) - 1, cut + maxWidth).replace(/\r$/, ''));
      const margin = ' '.repeat(line.length);
      return [sentence, `  ${line} | ${before}${rest}`, `  ${margin} | ${' '.repeat(before.length)}^`];
    })
    .join('\n');
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A place may name a file of a commit, as `npm run diff:contract` does, or one that is gone.
    return '';
  }
}
