/** The handlers of one resource's operations, which keep its items on a shelf. */
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import { exactJson } from '../../../src/schema/exact-json.js';
import type { Operation } from '../document/operations.js';
import { successesOf } from '../document/statuses.js';
import { lengthHeaders } from '../resources/lengths.js';
import type { Relation } from '../resources/relations.js';
import { contentLayers, listOf, type Resource } from '../resources/shape.js';
import { membersOf } from '../values/sites.js';
import {
  answerWith,
  contentOf,
  type Item,
  mergePatch,
  objectOf,
  shaped,
  toldIn,
  wholeItem,
  withDefaults,
} from './bodies.js';
import { tagOf, unmetCondition } from './conditions.js';
import { absenceFor, type Documented, filledPath, headersFor, type KnownHeaders } from './documented.js';
import { selected } from './list-answer.js';
import { pageOf } from './page.js';
import type { Kept, Shelf } from './shelf.js';

/** Items of one shelf that refer to those of another one. */
interface Reference {
  readonly relation: Relation;
  readonly shelf: Shelf;
  readonly target: Shelf;
}

export type Asked = Parameters<AnyHandler>[0];
type Handle = (operation: Operation, asked: Asked) => AnyAnswer;

export class ItemHandlers {
  readonly #resource: Resource;
  readonly #shelf: Shelf;
  /** Those of all resources. */
  readonly #references: readonly Reference[];
  readonly #documented: Documented;

  constructor(shelf: Shelf, references: readonly Reference[], documented: Documented) {
    this.#resource = shelf.resource;
    this.#shelf = shelf;
    this.#references = references;
    this.#documented = documented;
  }

  /** The handlers by operationId. */
  entries(): (readonly [string, AnyHandler])[] {
    const { create, list, get, replace, modify, remove } = this.#resource;
    const handlers: readonly (readonly [Operation | undefined, Handle])[] = [
      [create, this.create],
      [list, this.#list],
      [get, this.#get],
      [replace, replace === create ? this.#put : this.#change],
      [modify, this.#change],
      [remove, this.#remove],
    ];
    return handlers.flatMap(([operation, handle]) =>
      operation === undefined
        ? []
        : [[operation.id, async (asked: Asked) => handle.call(this, operation, asked)] as const],
    );
  }

  create(create: Operation, asked: Asked): AnyAnswer {
    const { id: place, parameter, itemPath } = this.#resource;
    const body = toldIn(this.#resource, create, asked.body);
    const absent = this.#absentFor(create, asked, body);
    if (absent !== undefined) return absent;
    const path = objectOf(asked.path);
    const chosen = place.in === 'request' ? body[place.member] : undefined;
    const id = chosen ?? this.#shelf.freshId(asked.caller);
    const name = place.in === 'location' ? parameter.name : place.member;
    const item = this.#made(body, { [name]: id }, path);
    const there = this.#shelf.get(asked.caller, path, id);
    const location = filledPath(itemPath, { ...path, [parameter.name]: id });
    if (there !== undefined) {
      if (exactJson(there.item) === exactJson(item))
        return this.#answer(create, there, { Location: location });
      const message = `Another item has the ${name} ${id}.`;
      const conflict = this.#documented.refuse(create.id, { status: 409, message });
      if (conflict !== undefined) return conflict;
    }
    const kept = this.#shelf.set(asked.caller, path, id, item);
    return this.#answer(create, kept, { Location: location });
  }

  /** RFC 9110, section 9.3.4: a PUT is answered 201 if the item is new. */
  #put(put: Operation, asked: Asked): AnyAnswer {
    const { id: place, parameter } = this.#resource;
    const body = toldIn(this.#resource, put, asked.body);
    const absent = this.#absentFor(put, asked, body);
    if (absent !== undefined) return absent;
    const there = this.#find(asked);
    const unmet = unmetCondition(put, there, objectOf(asked.header), this.#documented.refuse);
    if (unmet !== undefined) return unmet;
    const path = objectOf(asked.path);
    const name = place.in === 'location' ? parameter.name : place.member;
    const item = this.#made(body, { [name]: path[parameter.name] }, path);
    const kept = this.#shelf.set(asked.caller, path, this.#idIn(asked), item);
    const status = there === undefined ? 201 : successesOf(put).find((one) => one !== 201);
    return this.#answer(put, kept, { Location: filledPath(put.path, path) }, status);
  }

  #made(body: Item, id: Item, path: Item): Item {
    const content = withDefaults(contentOf(this.#resource, body), this.#resource.members);
    return wholeItem(this.#resource, { ...content, ...id }, { path, count: this.#shelf.count });
  }

  /** Makes the answer if a parent, or an item that the body refers to, is not there; undefined if all are. */
  #absentFor(operation: Operation, { caller, path }: Asked, body: Item): AnyAnswer | undefined {
    const needs = this.#references.filter(({ shelf }) => shelf === this.#shelf);
    const absent = needs.find(({ relation: { name, isParent }, target }) => {
      const value = isParent ? objectOf(path)[name] : body[name];
      // The path of an item need not name its parent.
      if (isParent && value !== undefined)
        return target.seeAbove(caller, this.#resource.collectionPath, objectOf(path)) === undefined;
      const ids = value === undefined || value === null ? [] : [value].flat();
      return ids.some((id) => !target.has(caller, id));
    });
    if (absent === undefined) return undefined;
    const { name, isParent } = absent.relation;
    const message = `${name} refers to nothing that is there.`;
    // A reference in the body is a fault of the body.
    for (const status of isParent ? [404] : [422, 404]) {
      const refusal = this.#documented.refuse(operation.id, { status, message });
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #list(list: Operation, asked: Asked): AnyAnswer {
    const absent = this.#absentFor(list, asked, {});
    if (absent !== undefined) return absent;
    const { id: place, parameter } = this.#resource;
    const name = place.in === 'location' ? parameter.name : place.member;
    const [path, query] = [objectOf(asked.path), objectOf(asked.query)];
    const readable = this.#shelf.readable(asked.caller, path);
    const removed = new Set(readable.filter(({ isRemoved }) => isRemoved).map(({ item }) => item));
    const items = readable.map(({ item }) => item);
    // Integers have an order; other items come as they were created.
    const sorted = items.every((item) => typeof item[name] === 'bigint')
      ? items.toSorted((a, b) => (BigInt(String(a[name])) < BigInt(String(b[name])) ? -1 : 1))
      : items;
    const all = selected(list, sorted, query);
    const collection = filledPath(list.path, path);
    const idOf = (item: Item): string => String(item[name]);
    const { shown, envelope, link, total } = pageOf(
      list,
      all,
      removed,
      query,
      idOf,
      `${this.#documented.origin()}${collection}`,
    );
    const layers = listOf(list)?.items ?? [];
    const body = shown.map((item) => shaped(item, membersOf(layers)));
    const member = listOf(list)?.member;
    const [status = 200] = successesOf(list);
    const next = link === undefined ? undefined : `<${collection}?${link}>; rel="next"`;
    return {
      status,
      headers: headersFor(this.#documented, list, status, {
        Link: next,
        ...Object.fromEntries(lengthHeaders.map((header) => [header, String(total)])),
      }),
      body: member === undefined ? body : { ...envelope, [member]: body },
    };
  }

  #get(get: Operation, asked: Asked): AnyAnswer {
    const id = this.#idIn(asked);
    const kept = this.#shelf.see(asked.caller, objectOf(asked.path), id);
    if (kept === undefined) return this.#absence(get);
    const unmet = unmetCondition(get, kept, objectOf(asked.header), this.#documented.refuse);
    return unmet ?? this.#answer(get, kept);
  }

  #change(operation: Operation, asked: Asked): AnyAnswer {
    const kept = this.#find(asked);
    if (kept === undefined) return this.#absence(operation);
    const unmet = unmetCondition(operation, kept, objectOf(asked.header), this.#documented.refuse);
    if (unmet !== undefined) return unmet;
    const body = toldIn(this.#resource, operation, asked.body);
    const absent = this.#absentFor(operation, asked, body);
    if (absent !== undefined) return absent;
    const isReplaced = operation.id === this.#resource.replace?.id;
    const after = isReplaced
      ? this.#replaced(operation, kept, body)
      : this.#merged(operation, asked, kept, body);
    const path = objectOf(asked.path);
    return this.#answer(operation, this.#shelf.set(asked.caller, path, kept.id, after));
  }

  /** A PUT replaces what its schema names, and gives what it leaves out its default. */
  #replaced(operation: Operation, { item, parents }: Kept, body: Item): Item {
    const named = membersOf(contentLayers(operation, this.#resource)).map(({ name }) => name);
    const contents = this.#resource.members.map(({ name }) => name);
    const isReplaced = (name: string): boolean => named.includes(name) && contents.includes(name);
    const others = Object.entries(item).filter(([name]) => !isReplaced(name));
    const replaceable = this.#resource.members.filter(({ name }) => isReplaced(name));
    const content = withDefaults(contentOf(this.#resource, body), replaceable);
    const after = { ...Object.fromEntries(others), ...content };
    return wholeItem(this.#resource, after, { path: parents, count: this.#shelf.count });
  }

  #merged(operation: Operation, { mediaType }: Asked, { item, parents }: Kept, body: Item): Item {
    const content = contentOf(this.#resource, body);
    const type = mediaType ?? operation.body?.mediaType ?? '';
    const after = type.includes('merge-patch')
      ? objectOf(mergePatch(item, content))
      : { ...item, ...content };
    return wholeItem(this.#resource, after, { path: parents, count: this.#shelf.count });
  }

  #remove(remove: Operation, asked: Asked): AnyAnswer {
    const kept = this.#find(asked);
    if (kept === undefined) return this.#absence(remove);
    const { refuse } = this.#documented;
    const unmet = unmetCondition(remove, kept, objectOf(asked.header), refuse);
    if (unmet !== undefined) return unmet;
    const isUsed = this.#references.some(
      ({ relation, shelf, target }) =>
        target === this.#shelf && !relation.isParent && shelf.refersTo(asked.caller, relation.name, kept.id),
    );
    const conflict = isUsed
      ? refuse(remove.id, { status: 409, message: 'Other items refer to this one: remove them first.' })
      : undefined;
    if (conflict !== undefined) return conflict;
    this.#shelf.delete(asked.caller, kept);
    this.#removeBelow(asked.caller, this.#shelf, kept);
    return answerWith(this.#resource, remove, kept.item, headersFor(this.#documented, remove, undefined, {}));
  }

  /** Removes what is below a removed item, and what is below that. */
  #removeBelow(owner: unknown, parent: Shelf, removed: Kept): void {
    for (const { relation, shelf, target } of this.#references) {
      if (target !== parent || !relation.isParent) continue;
      const below = shelf.deleteBelow(owner, parent.valuesOf(removed));
      for (const kept of below) this.#removeBelow(owner, shelf, kept);
    }
  }

  #answer(
    operation: Operation,
    kept: Kept,
    headers: KnownHeaders = {},
    status = successesOf(operation)[0],
  ): AnyAnswer {
    const documented = headersFor(this.#documented, operation, status, { ...headers, ETag: tagOf(kept) });
    return answerWith(this.#resource, operation, kept.item, documented, status);
  }

  #idIn({ path }: Asked): string {
    return String(objectOf(path)[this.#resource.parameter.name]);
  }

  #find(asked: Asked): Kept | undefined {
    return this.#shelf.get(asked.caller, objectOf(asked.path), this.#idIn(asked));
  }

  #absence(operation: Operation): AnyAnswer {
    const refusal = absenceFor(operation, this.#documented.refuse);
    const surroundings = { path: {}, count: this.#shelf.count };
    return refusal ?? answerWith(this.#resource, operation, wholeItem(this.#resource, {}, surroundings));
  }
}
