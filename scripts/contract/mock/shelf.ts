/**
 * Holds the items of one resource in memory: those of each owner by themselves. Items with a path below their
 * parent, such as `/gardens/{garden}/beds/{bed}`, are found by the ids of both. Those with a path of their own,
 * such as `/jobs/{jobId}`, are found by their id, and remember below which parent they were made.
 */
import { randomUUID } from 'node:crypto';
import { exactJson } from '../../../src/schema/exact-json.js';
import { parentNamesOf, type Resource } from '../resources/shape.js';
import { integerBounds, typeOf } from '../values/bounds.js';
import { layersOf } from '../values/layers.js';
import type { Item } from './bodies.js';

/** An item as it is now. */
export interface Kept {
  readonly id: string;
  /** The ids of its parents, by the names of the parameters in the path of the create. */
  readonly parents: Readonly<Record<string, string>>;
  readonly item: Item;
  /** Another number after each change (RFC 9110, section 8.8.3). */
  readonly version: number;
  /** One that was removed keeps its place in the order, because a cursor may name it. */
  readonly isRemoved: boolean;
}

export class Shelf {
  readonly resource: Resource;
  readonly #parentNames: readonly string[];
  readonly #isBelowParent: boolean;
  /** The items of each owner by their places. */
  readonly #owners = new Map<string, Map<string, Kept>>();
  #lastId = 0n;
  #lastVersion = 0;

  constructor(resource: Resource) {
    this.resource = resource;
    this.#parentNames = parentNamesOf(resource);
    this.#isBelowParent = resource.itemPath.startsWith(`${resource.collectionPath}/`);
  }

  /** @param path the values of the parameters in the path */
  get(owner: unknown, path: Item, id: unknown): Kept | undefined {
    const kept = this.#itemsOf(owner).get(this.#placeOf(path, id));
    return kept?.isRemoved === true ? undefined : kept;
  }

  /** Finds an item as a reader sees it, who need not be its owner. */
  see(reader: unknown, path: Item, id: unknown): Kept | undefined {
    if (!this.#isEverybodysFor(reader)) return this.get(reader, path, id);
    return this.readable(reader, path).find((kept) => kept.id === String(id) && !kept.isRemoved);
  }

  /** Finds the parent of items whose collection is below the items here, by the values in the collection's path. */
  seeAbove(reader: unknown, collectionPath: string, path: Item): Kept | undefined {
    const values = parentNamesOf({ collectionPath }).map((name) => path[name]);
    const names = this.#namesInPath();
    const own = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    return this.see(reader, own, values[names.length - 1]);
  }

  /** Keeps an item that is new, or instead of what is there. */
  set(owner: unknown, path: Item, id: unknown, item: Item): Kept {
    const items = this.#itemsOf(owner);
    const place = this.#placeOf(path, id);
    const there = this.get(owner, path, id);
    // One that is made again comes last.
    if (there === undefined) items.delete(place);
    const parents =
      there?.parents ?? Object.fromEntries(this.#parentNames.map((name) => [name, String(path[name])]));
    const kept = { id: String(id), parents, item, version: ++this.#lastVersion, isRemoved: false };
    items.set(place, kept);
    return kept;
  }

  delete(owner: unknown, { parents, id }: Kept): void {
    const items = this.#itemsOf(owner);
    const place = this.#placeOf(parents, id);
    const kept = items.get(place);
    if (kept !== undefined) items.set(place, { ...kept, isRemoved: true });
  }

  /** The values of the parameters in an item's path, in their order. */
  valuesOf({ parents, id }: Kept): string[] {
    return this.#namesInPath().map((name) =>
      name === this.resource.parameter.name ? id : (parents[name] ?? ''),
    );
  }

  /**
   * Removes the items below a parent.
   *
   * @param values those of the parameters in the parent's path
   * @returns what is removed
   */
  deleteBelow(owner: unknown, values: readonly string[]): Kept[] {
    const below = this.#living(owner).filter(({ parents }) =>
      values.every((value, index) => parents[this.#parentNames[index] ?? ''] === value),
    );
    for (const kept of below) this.delete(owner, kept);
    return below;
  }

  /**
   * The items that a reader sees: everybody's, if reading needs no token and creating does; else the reader's
   * own. Of a path with parents, only the items below them. Those that were removed are among them.
   */
  readable(reader: unknown, path: Item): Kept[] {
    const all = this.#isEverybodysFor(reader)
      ? [...this.#owners.values()].flatMap((items) => [...items.values()])
      : [...this.#itemsOf(reader).values()];
    return all.filter(({ parents }) =>
      Object.entries(parents).every(([name, id]) => path[name] === undefined || String(path[name]) === id),
    );
  }

  #isEverybodysFor(reader: unknown): boolean {
    const { secured, anonymous } = this.resource.create;
    return reader === undefined && secured && !anonymous;
  }

  /** Whether an owner has an item with this id, below whatever parent. */
  has(owner: unknown, id: unknown): boolean {
    return this.#living(owner).some((kept) => kept.id === String(id));
  }

  /** Whether a member of an owner's items refers to an id. */
  refersTo(owner: unknown, member: string, id: string): boolean {
    return this.#living(owner).some(({ item }) => [item[member]].flat().map(String).includes(id));
  }

  /** @returns an id that nobody has, in the form of the item's path */
  freshId(owner: unknown): unknown {
    const id = freshId(this.resource.parameter.schema, ++this.#lastId);
    // A client may have chosen it.
    return this.has(owner, id) ? this.freshId(owner) : id;
  }

  /** The number of items that were made so far. */
  get count(): bigint {
    return this.#lastId;
  }

  #living(owner: unknown): Kept[] {
    return [...this.#itemsOf(owner).values()].filter(({ isRemoved }) => !isRemoved);
  }

  /** The names of the parameters in the path of an item. */
  #namesInPath(): string[] {
    return parentNamesOf({ collectionPath: this.resource.itemPath });
  }

  #itemsOf(owner: unknown): Map<string, Kept> {
    const key = exactJson(owner ?? null);
    const items = this.#owners.get(key) ?? new Map<string, Kept>();
    this.#owners.set(key, items);
    return items;
  }

  #placeOf(path: Item, id: unknown): string {
    const parents = this.#isBelowParent ? this.#parentNames.map((name) => String(path[name])) : [];
    return exactJson([...parents, String(id)]);
  }
}

/**
 * @param number what no other id was made of
 * @returns a bigint, a UUID or a number as text, as the schema asks
 */
export function freshId(schema: Resource['parameter']['schema'], number: bigint): unknown {
  const layers = layersOf(schema);
  if (typeOf(layers) === 'integer') {
    const { least } = integerBounds(layers);
    return (least > 0n ? least - 1n : 0n) + number;
  }
  return layers.some((layer) => layer.text('format') === 'uuid') ? randomUUID() : String(number);
}
