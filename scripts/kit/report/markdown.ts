import type { Item, Results } from './results.js';

/** Writes results for the description of a pull request, a comment on it, or the summary of a job. */
export function markdown({ items, remarks, conclusion }: Results): string {
  const listed = items.filter(({ verdict }) => verdict !== 'passed');
  const sections = [...new Set(listed.map(({ heading }) => heading))].map((heading) => {
    const entries = listed.filter((item) => item.heading === heading).map(entry);
    return `### ${heading}\n\n${entries.join('\n')}\n`;
  });
  return [...sections, [...remarks, conclusion].join('\n\n')].join('\n');
}

function entry({ operation, message, place, details }: Item): string {
  const head = `- **${operation}** ${message}${place === '' ? '' : ` (${place})`}`;
  if (details.length === 0) return head;
  return [head, '', ...['```text', ...details, '```'].map((line) => `  ${line}`), ''].join('\n');
}
