/** Chooses ids that nobody else uses, for resources whose clients choose the ids. */
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Node } from '../../document/node.js';
import type { Operation } from '../../document/operations.js';
import { countBounds, integerBounds, typeOf } from '../../values/bounds.js';
import { layersOf } from '../../values/layers.js';
import { anyValue, fits } from '../../values/valid-values.js';
import { isSegment } from '../values/carried-texts.js';

export type Id = bigint | string;

export interface Ids {
  /** An id that nobody uses. */
  fresh(): Id;
  /** Four ids that nobody uses, ascending, and as similar as ids can be. */
  block(): readonly Id[];
  /** Whether only this run uses the id. */
  owns(id: Id): boolean;
}

/** Ids come from blocks of this size, placed at random: for int64, one above 2^53, one below −2^53. */
const rangeSize = 2n ** 40n;
/**
 * The ids of one block differ in their last bits, as ids do that doubles confuse, and by 2^32. Ids of two
 * blocks differ as doubles, too: below 2^63, these lie 1,024 apart. So a server that rounds ids mixes up the
 * items of one case only, and findings blame the right operation. The size is a prime: if a server puts items
 * into shards by their ids, or loses those that end in 7, some of these ids are among them.
 */
const blockSize = 2_053n;
const blockOffsets = [0n, 1n, 2n, 2n ** 32n] as const;
/** If there are fewer ids than this, one that is chosen at random may be somebody's. */
const leastRoom = 2n ** 30n;

/**
 * @param room how many ids there must be, so that nobody has one that is chosen at random
 * @returns undefined if there are fewer
 */
export function idsFor(schema: Node, room = leastRoom): Ids | undefined {
  const layers = layersOf(schema);
  switch (typeOf(layers)) {
    case 'integer': {
      const { least, most, step } = integerBounds(layers);
      if (step !== 1n || most - least < room) return undefined;
      return most >= 2n ** 62n ? new WideIntegers(least, most) : new NarrowIntegers(least, most);
    }
    case 'string':
      return textsFor(schema);
    default:
      return undefined;
  }
}

/** A random id out of this many belongs to nobody. */
export const unguessable = 2n ** 53n;
/** Texts that are shorter than this may be names that people choose. */
const leastLength = 8;

/** @returns undefined unless there are so many ids that nobody has one that is chosen at random */
export function unguessableIds(schema: Node): Ids | undefined {
  const ids = idsFor(schema, unguessable);
  const id = ids?.fresh();
  return typeof id === 'string' && id.length < leastLength ? undefined : ids;
}

/**
 * Lists the ids where integers end; none for other ids. A lenient server could take a broken id for one of
 * them.
 */
export function edgesOf(schema: Node): readonly bigint[] {
  const layers = layersOf(schema);
  if (typeOf(layers) !== 'integer') return [];
  const { least, most } = integerBounds(layers);
  return [...new Set([least, 0n, most])].filter((id) => id >= least && id <= most);
}

class WideIntegers implements Ids {
  readonly #first: bigint;
  readonly #signed: boolean;
  #blocks = 0n;

  constructor(least: bigint, most: bigint) {
    this.#signed = least <= -most;
    const room = most - rangeSize - 2n ** 54n;
    this.#first = 2n ** 54n + (randomBytes(8).readBigUInt64BE() % room);
  }

  /** Alternates between ids above and below zero, if there are ids below. */
  fresh(): bigint {
    const [id = 0n] = this.block();
    return id;
  }

  block(): bigint[] {
    const block = this.#blocks++;
    const ids = blockOffsets.map((offset) => this.#first + (block / 2n) * blockSize + offset);
    if (!this.#signed) return ids.map((id) => id + (block % 2n) * (rangeSize / 2n));
    return block % 2n === 0n ? ids : ids.map((id) => -id).reverse();
  }

  owns(id: Id): boolean {
    if (typeof id === 'string') return false;
    const size = id < 0n && this.#signed ? -id : id;
    return size >= this.#first && size < this.#first + rangeSize;
  }
}

/** If there is less room, ids lie in the upper half, because others mostly count from one. */
class NarrowIntegers implements Ids {
  readonly #first: bigint;
  #next: bigint;

  constructor(least: bigint, most: bigint) {
    const half = (most - least) / 2n;
    this.#first = least + half + (randomBytes(8).readBigUInt64BE() % (half - half / 4n));
    this.#next = this.#first;
  }

  fresh(): bigint {
    return this.#next++;
  }

  block(): bigint[] {
    return blockOffsets.map(() => this.fresh());
  }

  owns(id: Id): boolean {
    return typeof id === 'bigint' && id >= this.#first && id < this.#next;
  }
}

/** Four bits make a letter, as they make a digit of a hexadecimal number. */
function lettersOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode('a'.charCodeAt(0) + (byte % 16))).join('');
}

function textsFor(schema: Node): Ids | undefined {
  const { least, most } = countBounds(layersOf(schema), ['minLength', 'maxLength']);
  const cut = (text: string): string => text.padEnd(least, '0').slice(0, most);
  const makers: (() => string)[] = [
    () => randomUUID(),
    () => cut(`c${randomBytes(8).toString('hex')}`),
    () => cut(`C${randomBytes(8).toString('hex').toUpperCase()}`),
    () => cut(String(randomBytes(8).readBigUInt64BE()).padStart(20, '1')),
    () => cut(`c${lettersOf(randomBytes(16))}`),
    () => String(fc.sample(anyValue([schema]), 1)[0]),
  ];
  const make = makers.find((candidate) => fits([schema], candidate()) && isSegment(candidate()));
  // If there are enough texts, few come twice in twenty tries.
  if (make === undefined || new Set(Array.from({ length: 20 }, make)).size < 20) return undefined;
  const taken = new Set<Id>();
  const fresh = (): string => {
    const id = make();
    if (taken.has(id) || !isSegment(id)) return fresh();
    taken.add(id);
    return id;
  };
  return {
    fresh,
    block: () => blockOffsets.map(fresh).sort(),
    owns: (id) => taken.has(id),
  };
}

/** Random values for parameters of the path, except if there are so few that somebody may have any. */
export function nobodysPath({ parameters }: Operation, room?: bigint): Record<string, string> {
  const values = parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name, schema }) => {
      const ids = idsFor(schema, room);
      return ids === undefined ? [] : [[name, String(ids.fresh())] as const];
    });
  return Object.fromEntries(values);
}
