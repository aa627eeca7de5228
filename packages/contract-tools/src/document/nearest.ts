/** If there are more names than this, only the nearest ones are listed. */
const maxNames = 8;
const maxNearest = 3;

/**
 * @returns the names that a misspelt one may mean: all of them in the order of the document, or the nearest
 * ones
 */
export function nearestTo(written: string, names: readonly string[]): readonly string[] {
  if (names.length <= maxNames) return names;
  return names
    .map((name) => ({ name, distance: distanceBetween(written.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxNearest)
    .map(({ name }) => name);
}

/**
 * Levenshtein's distance: how many characters must be inserted, deleted or replaced to get from one name to
 * the other.
 */
function distanceBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
