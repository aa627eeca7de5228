/** Helpers for all pictures. */

export function text(
  x: number,
  y: number,
  words: string,
  anchor: 'start' | 'middle' | 'end' = 'start',
): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

export function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Rounds to a tenth of a pixel: finer differences are invisible. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
