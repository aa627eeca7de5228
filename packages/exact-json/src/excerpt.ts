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
      const before = visibleButTabs(text.slice(cut, Number(column) - 1));
      // The end of a line in a file of Windows is not a part of the line.
      const rest = visibleButTabs(text.slice(Number(column) - 1, cut + maxWidth).replace(/\r$/, ''));
      const pointer = `${' '.repeat(line.length)} | ${before.replace(/[^\t]/g, ' ')}^`;
      return [sentence, `  ${line} | ${before}${rest}`, `  ${pointer}`];
    })
    .join('\n');
}

/** The caret stands below its character if both lines have the same tabs. */
function visibleButTabs(text: string): string {
  return text
    .split('\t')
    .map((part) => visible(part))
    .join('\t');
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A place may name a file of a commit, as `npm run diff:contract` does, or one that is gone.
    return '';
  }
}
