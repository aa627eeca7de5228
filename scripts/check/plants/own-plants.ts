/** Which plants are the checker's own: their ids, the mark in their texts, and what should be stored of them. */
import { randomBytes } from 'node:crypto';

export interface Content {
  readonly name: string;
  readonly tag?: string;
}

export type Owner = 'first' | 'second';

export interface OwnPlant {
  readonly owner: Owner;
  readonly id: bigint;
  readonly content: Content;
  /** Whether a create was answered 200. Before that it may be there, and is removed in the end, but need not be. */
  readonly created?: boolean;
}

/** Ids come from two ranges of so many, placed at random: one above 2^53, one below −2^53. */
const rangeSize = 2n ** 40n;
/**
 * The ids of one block differ in their last bits, as ids do that a double cannot tell apart, and by 2^32. Those of two
 * blocks it can: below 2^63, doubles lie 1,024 apart. A server that rounds ids takes no others for one, so that what one
 * case finds is not what another one did (with blocks of 16, 2 of 60 runs blamed the wrong operation; with these, none of 150).
 */
const blockSize = 2_048n;
const blockIds = [0n, 1n, 2n, 2n ** 32n] as const;

/** Ids where integers end; others may use them, so a plant there is the checker's only after a create that answered 200. */
export const edges: readonly bigint[] = [-(2n ** 63n), 0n, 2n ** 63n - 1n];

/** A plant that should not be there any more, or never have been. */
export interface FormerPlant extends OwnPlant {
  readonly why: 'refused' | 'deleted';
}

export class OwnPlants {
  /** What every plant of this run carries in its name or tag. */
  readonly mark = `~${randomBytes(5).toString('hex')}.`;
  readonly #first: bigint;
  readonly #plants = new Map<string, OwnPlant>();
  readonly #former = new Map<string, FormerPlant>();
  #blocks = 0n;
  #marks = 0;

  constructor() {
    const room = 2n ** 63n - rangeSize - 2n ** 54n;
    this.#first = 2n ** 54n + (randomBytes(8).readBigUInt64BE() % room);
  }

  /** An id that nobody uses, one time above zero, the next below. */
  freshId(): bigint {
    const [id] = this.freshBlock();
    return id;
  }

  /** Four ids that nobody uses, ascending. */
  freshBlock(): [bigint, bigint, bigint, bigint] {
    const block = this.#blocks++;
    const start = this.#first + (block / 2n) * blockSize;
    const [a, b, c, d] = blockIds.map((offset) => start + offset);
    if (a === undefined || b === undefined || c === undefined || d === undefined)
      throw new Error('unreachable');
    return block % 2n === 0n ? [a, b, c, d] : [-d, -c, -b, -a];
  }

  owns(id: bigint): boolean {
    const size = id < 0n ? -id : id;
    return size >= this.#first && size < this.#first + rangeSize;
  }

  /** A text that no other plant has. */
  freshMark(): string {
    return `${this.mark}${(this.#marks++).toString(36)}~`;
  }

  /** The mark of a plant, which tells it from all others; undefined where it is not one of this run's. */
  markOf({ name, tag = '' }: Content): string | undefined {
    const texts = [name, tag].flatMap((text) => {
      const start = text.indexOf(this.mark);
      return start < 0 ? [] : text.slice(start, text.indexOf('~', start + 1) + 1);
    });
    return texts[0];
  }

  add(plant: OwnPlant): void {
    this.#plants.set(keyOf(plant), plant);
  }

  /** A create was answered 200. */
  confirm(owner: Owner, id: bigint): void {
    const plant = this.find(owner, id);
    if (plant !== undefined) this.add({ ...plant, created: true });
  }

  remove(owner: Owner, id: bigint, why: FormerPlant['why']): void {
    const plant = this.find(owner, id);
    const mark = plant && this.markOf(plant.content);
    if (plant !== undefined && mark !== undefined) this.#former.set(mark, { ...plant, why });
    this.#plants.delete(keyOf({ owner, id }));
  }

  former(mark: string): FormerPlant | undefined {
    return this.#former.get(mark);
  }

  find(owner: Owner, id: bigint): OwnPlant | undefined {
    return this.#plants.get(keyOf({ owner, id }));
  }

  /** Those of which nobody knows: neither created for sure nor gone. */
  get uncertainMarks(): ReadonlySet<string | undefined> {
    return new Set(this.all.filter(({ created }) => !created).map(({ content }) => this.markOf(content)));
  }

  get all(): readonly OwnPlant[] {
    return [...this.#plants.values()];
  }

  /** Those that are there for sure, by ascending id, as a list has them. */
  of(owner: Owner): readonly OwnPlant[] {
    return this.all
      .filter((plant) => plant.owner === owner && plant.created)
      .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }
}

function keyOf({ owner, id }: Pick<OwnPlant, 'owner' | 'id'>): string {
  return `${owner} ${id}`;
}
