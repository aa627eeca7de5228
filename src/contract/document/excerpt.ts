import { readFileSync } from 'node:fs';

/** In characters: longer lines would wrap. */
const width = 120;

/** Adds the line and a caret below each `file:line:column: sentence`. */
export function withExcerpts(message: string, read: (file: string) => string = readOrNothing): string {
  return message
    .split('\n')
    .flatMap((sentence) => {
      const [, file = '', line = '', column = ''] = /^(.*?):(\d+):(\d+): /.exec(sentence) ?? [];
      const text = file === '' ? undefined : read(file).split('\n')[Number(line) - 1];
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
    // The place may name a commit.
    return '';
  }
}
