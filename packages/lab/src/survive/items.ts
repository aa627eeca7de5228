/**
 * Makes the items of the load. Name and variant follow from owner, id and version, so that a list says which
 * version it saw.
 */

/** An item, whatever the subject calls its optional member. */
export interface Item {
  readonly name: string;
  /** The number of the value that its optional member has; -1 if nobody ever sent such a value. */
  readonly variant: number;
}

const variants = 3;

export function itemOf(owner: string, id: bigint, version: number): Item {
  return { name: `${owner} ${id} ${version}`, variant: version % variants };
}

/** @returns undefined if nobody ever sent such an item for this owner */
export function readItem(owner: string, item: Item): { id: bigint; version: number } | undefined {
  const [, of, id, version] = /^(\S+) (-?[0-9]+) ([0-9]+)$/.exec(item.name) ?? [];
  if (of !== owner || id === undefined) return undefined;
  const read = { id: BigInt(id), version: Number(version) };
  return isSame(item, itemOf(owner, read.id, read.version)) ? read : undefined;
}

export function isSame(one: Item, other: Item): boolean {
  return one.name === other.name && one.variant === other.variant;
}
