import type { Owner } from '../access/bearer.js';

/** The primary key of a plant. */
export interface Key {
  readonly owner: Owner;
  readonly id: bigint;
}

/**
 * A table of the keys: the parameters $1 and $2 are their columns, $3 is their number. The LIMIT makes the
 * planner expect few rows, so that it looks each key up in the index, in the order of the keys.
 */
export const givenKeys =
  '(SELECT * FROM unnest($1::text[], $2::bigint[]) AS key (owner, id) LIMIT $3) AS key';

export function keyParameters(keys: readonly Key[]): unknown[] {
  return [keys.map(({ owner }) => owner), keys.map(({ id }) => id), keys.length];
}

/**
 * The items by ascending key, without repeated keys; of equal keys, the first item stays. All statements lock
 * rows in this order, so that two of them never deadlock.
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

/** For each item, whether PostgreSQL returned its key. Of equal keys, only the first counts as returned. */
export function eachReturned(items: readonly Key[], returned: readonly Key[]): boolean[] {
  if (returned.length === items.length) return items.map(() => true);
  const left = new Set(returned.map(textOf));
  return items.map((key) => left.delete(textOf(key)));
}

/** A text for use as a key of a Map. */
export function textOf({ owner, id }: Key): string {
  return `${id} ${owner}`;
}
