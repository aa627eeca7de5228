import { firstOfCause, type SafeItem, type SafeResults } from './results.js';

/** Writes results for the description of a pull request, a comment on it, or the summary of a job. */
export function markdown({ items, remarks, conclusion }: SafeResults): string {
  const listed = firstOfCause(items).filter(({ verdict }) => verdict !== 'passed');
  const sections = [...new Set(listed.map(({ heading }) => heading))].map((heading) => {
    // A finding that several checks have made is listed once.
    const entries = new Set(listed.filter((item) => item.heading === heading).map(entry));
    return `### ${heading}\n\n${[...entries].join('\n')}\n`;
  });
  return [...sections, [...remarks, ...conclusion].map(plain).join('\n\n')].join('\n');
}

function entry({ operation, message, place, details }: SafeItem): string {
  const head = `- **${plain(operation)}** ${plain(message)}${place === '' ? '' : ` (${plain(place)})`}`;
  if (details.length === 0) return head;
  const fence = fenceAround(details);
  return [head, '', ...[`${fence}text`, ...details, fence].map((line) => `  ${line}`), ''].join('\n');
}

/** A fence is closed by one that is as long, so it must be longer than any in the lines (CommonMark 4.5). */
function fenceAround(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  return '`'.repeat(Math.max(2, ...runs.map(({ length }) => length)) + 1);
}

/** Writes a text that means nothing to Markdown: no link, picture, emphasis, code, HTML or cell of a table. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>&|~!]/g, '\\$&');
}
