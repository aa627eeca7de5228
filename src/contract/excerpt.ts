import { readFileSync } from 'node:fs';

/** Lines of that many characters are cut; a terminal would break them, and the caret would point nowhere. */
const width = 120;

/**
 * A ContractError's message for a person: below each `file:line:column: sentence`, that line of the file and
 * a caret at the column.
 */
export function withExcerpts(message: string, read: (file: string) => string = readOrNothing): string {
  return message
    .split('\n')
    .flatMap((sentence) => {
      const [, file = '', line = '', column = ''] = /^(.*?):(\d+):(\d+): /.exec(sentence) ?? [];
      const text = file === '' ? undefined : read(file).split('\n')[Number(line) - 1];
      // An empty line has nothing to point at; most likely the file could not be read.
      if (!text) return sentence;
      const cut = Math.max(0, Number(column) - width);
      const pointer = `${' '.repeat(line.length)} | ${text.slice(cut, Number(column) - 1).replace(/[^\t]/g, ' ')}^`;
      return [sentence, `  ${line} | ${text.slice(cut, cut + width)}`, `  ${pointer}`];
    })
    .join('\n');
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A version in git, or a file that is gone: the sentence has to do.
    return '';
  }
}
