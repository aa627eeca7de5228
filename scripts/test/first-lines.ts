/** Returns the first `max` lines of a text, and one that says how many more it has. */
export function firstLines(text: string, max: number): string[] {
  const lines = text.trimEnd().split('\n');
  if (text.trim() === '') return [];
  return lines.length > max ? [...lines.slice(0, max), `… ${lines.length - max} more lines`] : lines;
}
