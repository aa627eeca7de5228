/** Judges an entry that only one of two maps has, or that both have. */
interface Judges<T, R> {
  readonly both: (old: T, now: T, name: string) => readonly R[];
  readonly removed: (old: T, name: string) => readonly R[];
  readonly added: (now: T, name: string) => readonly R[];
}

/**
 * Compares the entries of two maps by their names: first those of the old one in its order, then those that
 * only the new one has.
 */
export function compareEntries<T, R>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  { both, removed, added }: Judges<T, R>,
): R[] {
  return [
    ...[...before].flatMap(([name, old]) => {
      const now = after.get(name);
      return now === undefined ? removed(old, name) : both(old, now, name);
    }),
    ...[...after].filter(([name]) => !before.has(name)).flatMap(([name, now]) => added(now, name)),
  ];
}
