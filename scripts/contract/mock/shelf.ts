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
    return this.#itemsOf(owner).get(this.#placeOf(path, id));
  }

  /** Keeps an item that is new, or instead of what is there. */
  set(owner: unknown, path: Item, id: unknown, item: Item): Kept {
    const items = this.#itemsOf(owner);
    const place = this.#placeOf(path, id);
    const parents =
      items.get(place)?.parents ??
      Object.fromEntries(this.#parentNames.map((name) => [name, String(path[name])]));
    const kept = { id: String(id), parents, item, version: ++this.#lastVersion };
    items.set(place, kept);
    return kept;
  }

  delete(owner: unknown, path: Item, id: unknown): void {
    this.#itemsOf(owner).delete(this.#placeOf(path, id));
  }

  /** Removes the items below a parent, and returns their ids. */
  deleteBelow(owner: unknown, parent: string, parentId: string): string[] {
    const items = this.#itemsOf(owner);
    const below = [...items].filter(([, { parents }]) => parents[parent] === parentId);
    for (const [place] of below) items.delete(place);
    return below.map(([, { id }]) => id);
  }

  /**
   * The items that a reader sees: everybody's, if reading needs no token and creating does; else the reader's
   * own. Of a path with parents, only the items below them.
   */
  readable(reader: unknown, path: Item): Kept[] {
    const { secured, anonymous } = this.resource.create;
    const isEverybodys = reader === undefined && secured && !anonymous;
    const all = isEverybodys
      ? [...this.#owners.values()].flatMap((items) => [...items.values()])
      : [...this.#itemsOf(reader).values()];
    return all.filter(({ parents }) =>
      Object.entries(parents).every(([name, id]) => path[name] === undefined || String(path[name]) === id),
    );
  }

  /** Whether an owner has an item with this id, below whatever parent. */
  has(owner: unknown, id: unknown): boolean {
    return [...this.#itemsOf(owner).values()].some((kept) => kept.id === String(id));
  }

  /** Whether a member of an owner's items refers to an id. */
  refersTo(owner: unknown, member: string, id: string): boolean {
    return [...this.#itemsOf(owner).values()].some(({ item }) =>
      [item[member]].flat().map(String).includes(id),
    );
  }

  /** @returns an id that was not given out before, in the form of the item's path */
  freshId(): unknown {
    return freshId(this.resource.parameter.schema, ++this.#lastId);
  }

  /** The number of items that were made so far. */
  get count(): bigint {
    return this.#lastId;
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
