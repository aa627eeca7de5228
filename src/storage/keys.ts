import type { Owner } from '../fairness/owner.js';

export interface Key {
  readonly owner: Owner;
  readonly id: bigint;
}

/**
 * $3 is the number of keys: with this LIMIT, the planner uses the index.
 *
 * @param call of a function, which runs before the first key is read
 */
export function givenKeys(call?: string): string {
  const keys = 'unnest($1::text[], $2::bigint[]) AS key (owner, id)';
  return `(SELECT key.* FROM ${call === undefined ? keys : `${call}, ${keys}`} LIMIT $3) AS key`;
}

export function keyParameters(keys: readonly Key[]): unknown[] {
  return [keys.map(({ owner }) => owner), keys.map(({ id }) => id), keys.length];
}

/** Of equal keys, the first stays. Statements lock rows in this order, which prevents deadlocks. */
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

/** For each item, whether a statement returned its key. Of equal keys, only the first counts. */
export function eachReturned(items: readonly Key[], returned: readonly Key[]): boolean[] {
  if (returned.length === items.length) return items.map(() => true);
  const left = new Set(returned.map(keyText));
  return items.map((key) => left.delete(keyText(key)));
}

/** For maps and sets of keys. */
export function keyText({ owner, id }: Key): string {
  return `${id} ${owner}`;
}
