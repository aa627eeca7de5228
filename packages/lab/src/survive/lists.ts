/** Checks one list by itself: its items must be the owner's, each once, in the order of their ids. */
import type { Anomaly, Harm } from './anomaly.js';
import { type Item, readItem } from './items.js';

/** A whole list, as a client has got it. Times are in milliseconds, by `performance.now()`. */
export interface ListRead {
  readonly begin: number;
  readonly end: number;
  readonly limit: number | undefined;
  readonly items: readonly Item[];
}

/** What a list tells of the owner's ids. */
export interface SeenList {
  readonly begin: number;
  readonly end: number;
  /** The version of each id that it shows. */
  readonly versions: ReadonlyMap<bigint, number>;
  /** The last id that the list can tell of, because it was cut by its limit; undefined if it tells of all. */
  readonly upTo: bigint | undefined;
}

/**
 * @param known the ids that the owner's clients have named
 * @returns what the list tells, and what is wrong with it by itself
 */
export function readList(
  owner: string,
  known: { has(id: bigint): boolean },
  { begin, end, limit, items }: ListRead,
): { list: SeenList; anomalies: Anomaly[] } {
  const anomalies: Anomaly[] = [];
  const find = (harm: Harm, what: string) => anomalies.push({ harm, text: `${owner}: a list has ${what}` });
  const versions = new Map<bigint, number>();
  let last: bigint | undefined;
  for (const item of items) {
    const read = readItem(owner, item);
    if (read === undefined || !known.has(read.id)) {
      find('wrong', `${JSON.stringify(item)}, which this owner never created`);
      continue;
    }
    if (versions.has(read.id)) find('doubled', `the id ${read.id} twice`);
    else if (last !== undefined && read.id < last) find('wrong', `the id ${read.id} behind ${last}`);
    versions.set(read.id, read.version);
    last = read.id;
  }
  if (limit !== undefined && items.length > limit)
    find('wrong', `${items.length} items, but its limit is ${limit}`);
  const isCut = limit !== undefined && items.length >= limit;
  return { list: { begin, end, versions, upTo: isCut ? last : undefined }, anomalies };
}
