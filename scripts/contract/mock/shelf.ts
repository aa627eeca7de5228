/**
 * Holds the items of one resource in memory: those of each owner by themselves, and those below each parent,
 * such as the beds of one garden. Ids are unique within such a group.
 */
import { randomUUID } from 'node:crypto';
import { exactJson } from '../../../src/schema/exact-json.js';
import { parentNamesOf, type Resource } from '../resources/shape.js';
import { integerBounds, typeOf } from '../values/bounds.js';
import { layersOf } from '../values/layers.js';
import type { Item } from './bodies.js';

export class Shelf {
  readonly resource: Resource;
  /** The keys are the ids of the parents, then the owner, then the id of the item. */
  readonly #places = new Map<string, Map<string, Map<string, Item>>>();
  #last = 0n;

  constructor(resource: Resource) {
    this.resource = resource;
  }

  /**
   * The items of an owner by their ids, which a caller may change.
   *
   * @param path the values of the parameters in the path, of which those of parents count
   */
  of(owner: unknown, path: Item): Map<string, Item> {
    const owners = this.#ownersAt(path);
    const key = ownerKey(owner);
    const items = owners.get(key) ?? new Map<string, Item>();
    owners.set(key, items);
    return items;
  }

  /**
   * The items that a reader sees: everybody's, if reading needs no token and creating does; else the reader's
   * own.
   */
  readable(reader: unknown, path: Item): ReadonlyMap<string, Item> {
    const { secured, anonymous } = this.resource.create;
    if (reader !== undefined || !secured || anonymous) return this.of(reader, path);
    return new Map([...this.#ownersAt(path).values()].flatMap((items) => [...items]));
  }

  /** Whether an owner has an item with this id, below whatever parent. */
  has(owner: unknown, id: unknown): boolean {
    return [...this.#places.values()].some((owners) => owners.get(ownerKey(owner))?.has(String(id)));
  }

  #ownersAt(path: Item): Map<string, Map<string, Item>> {
    const key = exactJson(parentNamesOf(this.resource).map((name) => String(path[name])));
    const owners = this.#places.get(key) ?? new Map<string, Map<string, Item>>();
    this.#places.set(key, owners);
    return owners;
  }

  /**
   * @returns an id that was not given out before: a bigint, a UUID or a number as text, as the schema asks
   */
  freshId(): unknown {
    const layers = layersOf(this.resource.parameter.schema);
    if (typeOf(layers) === 'integer') {
      const { least } = integerBounds(layers);
      return (least > 0n ? least - 1n : 0n) + ++this.#last;
    }
    return layers.some((layer) => layer.text('format') === 'uuid') ? randomUUID() : String(++this.#last);
  }
}

function ownerKey(owner: unknown): string {
  return exactJson(owner ?? null);
}
