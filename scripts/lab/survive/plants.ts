/**
 * The plants of the load: name and tag follow from owner, id and version, so that a list says which version
 * it saw.
 */

export interface Plant {
  readonly name: string;
  readonly tag?: string;
}

const tags = [undefined, '', 'Zimmerpflanze 🪴'];

export function plantOf(owner: string, id: bigint, version: number): Plant {
  const tag = tags[version % tags.length];
  return { name: `${owner} ${id} ${version}`, ...(tag !== undefined && { tag }) };
}

/** @returns undefined if nobody ever sent such a plant for this owner */
export function readPlant(owner: string, plant: Plant): { id: bigint; version: number } | undefined {
  const [, of, id, version] = /^(\S+) (-?[0-9]+) ([0-9]+)$/.exec(plant.name) ?? [];
  if (of !== owner || id === undefined) return undefined;
  const read = { id: BigInt(id), version: Number(version) };
  return isSame(plant, plantOf(owner, read.id, read.version)) ? read : undefined;
}

export function isSame(one: Plant, other: Plant): boolean {
  return one.name === other.name && one.tag === other.tag;
}
