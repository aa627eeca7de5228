/** Each sentence takes three lines of a terminal with its excerpt (excerpt.ts). */
const maxSentences = 10;
/** A cause that has more places than this is told once for all of them. */
const maxRepetitions = 3;
const maxLinesNamed = 8;

/**
 * Tells each fault once, and a cause that a document has at many places by its first place and the other
 * lines. A real document of 600 references to another file would fill the terminal otherwise.
 *
 * @param faults sentences that begin with their place: `openapi/plants.yaml:12:3: …`
 */
export function summaryOf(faults: readonly string[]): string {
  const causes = new Map<string, string[]>();
  for (const fault of new Set(faults)) {
    const cause = causeOf(fault);
    causes.set(cause, [...(causes.get(cause) ?? []), fault]);
  }
  const told = [...causes.values()].flatMap((alike) =>
    alike.length > maxRepetitions
      ? [{ sentence: together(alike), faults: alike.length }]
      : alike.map((sentence) => ({ sentence, faults: 1 })),
  );
  const untold = told.slice(maxSentences).reduce((sum, { faults }) => sum + faults, 0);
  const sentences = told.slice(0, maxSentences).map(({ sentence }) => sentence);
  return [...sentences, ...(untold === 0 ? [] : [`There are ${untold} more faults: mend these first.`])].join(
    '\n',
  );
}

/** @returns the sentence without its place, and without its first word, which may name an operation */
function causeOf(fault: string): string {
  return fault.replace(/^\S*:\d+:\d+: /, '').replace(/^[\w.-]+/, '');
}

function together([first = '', ...others]: readonly string[]): string {
  const lines = others.flatMap((fault) => /:(\d+):\d+: /.exec(fault)?.[1] ?? []);
  const rest = lines.length > maxLinesNamed ? ', …' : '';
  return `${first} The same at ${others.length} other places: lines ${lines.slice(0, maxLinesNamed).join(', ')}${rest}.`;
}
