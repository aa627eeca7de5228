/**
 * Knows what the items of a resource need around them. A bed of `/gardens/{garden}/beds`, or one with a
 * member `gardenId`, can be created only in a garden that is there, and that belongs to the same owner. So
 * each resource that others need keeps one item for each owner, its anchor, until the end of the run.
 * Requests of the other resources refer to it.
 */

import type { Relation } from '../../resources/relations.js';
import { parentNamesOf, type Resource } from '../../resources/shape.js';
import { isArray, sameValue, type Value, type ValueObject } from '../../values/json.js';
import { plainValue } from '../../values/valid-values.js';
import type { Content } from './content.js';
import { saysEnd } from './expiry.js';
import type { Id } from './ids.js';
import type { Owner } from './own-items.js';
import { OwnTimes } from './own-times.js';

export interface Need {
  readonly relation: Relation;
  readonly target: Surroundings;
}

export class Surroundings {
  readonly #resource: Resource;
  readonly #anchors = new Map<Owner, Id>();
  /** Items that could be anchors as well. */
  readonly #spares = new Map<Owner, Id>();
  #needs: readonly Need[] = [];
  /** Whether other resources need this one. */
  isNeeded = false;
  /** The content that a create takes, if it does not take the plainest one. */
  base: Content | undefined;
  /** Members of which the server may refuse values that the document allows. */
  readonly choosy: Set<string>;
  readonly times: OwnTimes;
  /** Why no item can be made; undefined if one was made, or nobody has tried. */
  unreached: string | undefined;

  constructor(resource: Resource) {
    this.#resource = resource;
    this.times = new OwnTimes(resource.members);
    this.choosy = new Set(resource.members.map(({ name }) => name).filter(saysEnd));
  }

  get needs(): readonly Need[] {
    return this.#needs;
  }

  /** Sets what the items need, once all resources are known. */
  relate(needs: readonly Need[]): void {
    this.#needs = needs;
    for (const { target } of needs) target.isNeeded = true;
  }

  /** The id of the item that others refer to; undefined if it was not made. */
  anchor(owner: Owner): Id | undefined {
    // Without credentials, there is one owner.
    return this.#anchors.get(this.#resource.create.secured ? owner : 'first');
  }

  /**
   * Makes an item the owner's anchor.
   *
   * @param spare an item that may take its place
   */
  keep(owner: Owner, id: Id, spare = id): void {
    this.#anchors.set(owner, id);
    this.#spares.set(owner, spare);
  }

  /** @returns whether another item is the owner's anchor now */
  useSpare(owner: Owner): boolean {
    const [anchor, spare] = [this.#anchors.get(owner), this.#spares.get(owner)];
    if (spare === undefined || spare === anchor) return false;
    this.#anchors.set(owner, spare);
    return true;
  }

  isAnchor({ owner, id }: { readonly owner: Owner; readonly id: Id }): boolean {
    return this.#anchors.get(owner) === id;
  }

  /** The values of the parameters in the collection's path, as far as their items are there. */
  pathOf(owner: Owner): Readonly<Record<string, string>> {
    const known = this.#needs
      .filter(({ relation }) => relation.isParent)
      .flatMap(({ relation, target }) => {
        const id = target.anchor(owner);
        return id === undefined ? [] : [[relation.name, String(id)] as const];
      });
    return Object.fromEntries(known);
  }

  /** Whether each parameter in the collection's path has the id of an item that is there. */
  hasParents(owner: Owner): boolean {
    const known = this.pathOf(owner);
    return parentNamesOf(this.#resource).every((name) => known[name] !== undefined);
  }

  /** Whether a member or parameter refers to something that must be there. */
  refersAt(name: string): boolean {
    return this.#needs.some(({ relation }) => relation.name === name);
  }

  /**
   * Puts references to items that are there into a body, and what a create is known to take, at a time of its own if need
   * be.
   *
   * @param focus the member that the case is about, which stays as it is
   * @param names the members that the body may have; by default, all of a create
   */
  fill(owner: Owner, body: ValueObject, focus = '', names = Object.keys(this.base ?? {})): ValueObject {
    const filled: Record<string, Value> = { ...body };
    for (const [name, value] of Object.entries(this.base ?? {})) {
      if (!names.includes(name)) continue;
      const schemas = this.#resource.members.find((member) => member.name === name)?.schemas ?? [];
      const isPlain = filled[name] === undefined || sameValue(filled[name], plainValue(schemas));
      if (name !== focus && isPlain) filled[name] = value;
    }
    return this.times.put(this.#refer(owner, filled, focus), focus, this.base);
  }

  /** Puts references to items that are there into a body. */
  #refer(owner: Owner, body: ValueObject, focus: string): ValueObject {
    const filled: Record<string, Value> = { ...body };
    for (const { relation, target } of this.#needs) {
      const { name, isParent, isList } = relation;
      const [value, id] = [body[name], target.anchor(owner)];
      if (isParent || name === focus || id === undefined) continue;
      // An update may refer in another form than the create: by an object, for example.
      const isReference = (part: Value | undefined): boolean => typeof part === typeof id;
      if (!isList && isReference(value)) filled[name] = id;
      // An empty list refers to nothing.
      else if (isList && isArray(value) && isReference(value[0])) filled[name] = [id];
    }
    return filled;
  }
}
