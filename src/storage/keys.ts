import type { Owner } from '../access/bearer.js';

/** The primary key of a plant. */
export interface Key {
  readonly owner: Owner;
  readonly id: bigint;
}

/**
 * The keys as the first two parameters of a statement, and their number as the third. PostgreSQL expects a tenth of a
 * LIMIT that it cannot know, and so looks each key up by the index, in their order, also by a plan that it made while
 * the table was small and keeps.
 */
export const givenKeys =
  '(SELECT * FROM unnest($1::text[], $2::bigint[]) AS key (owner, id) LIMIT $3) AS key';

export function keyParameters(keys: readonly Key[]): unknown[] {
  return [keys.map(({ owner }) => owner), keys.map(({ id }) => id), keys.length];
}

/**
 * Each key once: the first item of equal keys. All statements take keys in this order, so that two of them that meet wait
 * for each other in one direction only.
 */
export function inKeyOrder<Item extends Key>(items: readonly Item[]): Item[] {
  const sorted = items.toSorted(compareKeys);
  return sorted.filter((item, index) => {
    const before = sorted[index - 1];
    return before === undefined || compareKeys(before, item) !== 0;
  });
}

function compareKeys(one: Key, other: Key): number {
  if (one.owner !== other.owner) return one.owner < other.owner ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

/** Whether each item's key was returned. Of equal keys only the first counts as returned. */
export function eachReturned(items: readonly Key[], returned: readonly Key[]): boolean[] {
  if (returned.length === items.length) return items.map(() => true);
  const left = new Set(returned.map(textOf));
  return items.map((key) => left.delete(textOf(key)));
}

/** A key as the key of a Map. */
export function textOf({ owner, id }: Key): string {
  return `${id} ${owner}`;
}
