/**
 * Keeps the items of every resource that the checker recognises, for the life of the process: what is created
 * can be read, changed, listed and deleted, by the owner who created it. Lists end.
 */
import { randomUUID } from 'node:crypto';
import type { Contract } from '../../../src/contract/document/document.js';
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import { exactJson } from '../../../src/contract/schema/exact-json.js';
import { integerBounds, typeOf } from '../check/bounds.js';
import { describe, type Operation } from '../check/description.js';
import { type Relation, relationsOf } from '../check/resources/relations.js';
import {
  absencesOf,
  answerLayers,
  collectionOf,
  contentLayers,
  listOf,
  parentNamesOf,
  type Resource,
  resourcesOf,
  shownLayers,
  successesOf,
} from '../check/resources/shape.js';
import { isWrapped, wrapperOfRequest } from '../check/resources/wrapper.js';
import { layersOf } from '../check/schema.js';
import { type Member, membersOf } from '../check/sites.js';
import { pageOf } from './page.js';
import { sampleFor } from './samples.js';

type Item = Readonly<Record<string, unknown>>;
type Asked = Parameters<AnyHandler>[0];

export interface Memory {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** The paths of the collections whose items are kept. */
  readonly kept: readonly string[];
}

/** @param failed makes the documented answer of a status, or undefined if it is not documented */
export function memoryOf(
  contract: Contract,
  failed: (operation: string, status: number) => AnyAnswer | undefined,
): Memory {
  const resources = resourcesOf(describe(contract));
  const shelves = new Map(resources.map((resource) => [resource, new Shelf(resource)]));
  const handlers = resources.flatMap((resource) => {
    const needs = relationsOf(resource, resources).map((relation) => ({
      relation,
      // Relations lead to resources of the same document only.
      target: shelves.get(relation.target) as Shelf,
    }));
    const shelf = shelves.get(resource) as Shelf;
    return new Handlers(resource, shelf, needs, failed).entries();
  });
  return {
    handlers: Object.fromEntries(handlers),
    kept: resources.map(collectionOf),
  };
}

/** The items of one resource, by owner, by their parents and by id. */
class Shelf {
  readonly resource: Resource;
  /** The items are kept by their parents, and then by owner. */
  readonly #places = new Map<string, Map<string, Map<string, Item>>>();
  #last = 0n;

  constructor(resource: Resource) {
    this.resource = resource;
  }

  /** The items of an owner, those below each parent by themselves. */
  of(owner: unknown, path: Item): Map<string, Item> {
    const owners = this.#ownersAt(path);
    const key = ownerKey(owner);
    const items = owners.get(key) ?? new Map<string, Item>();
    owners.set(key, items);
    return items;
  }

  /** A reader sees everybody's items if reading needs no token and creating does. */
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

interface Need {
  readonly relation: Relation;
  readonly target: Shelf;
}

class Handlers {
  readonly #resource: Resource;
  readonly #shelf: Shelf;
  readonly #needs: readonly Need[];
  readonly #failed: (operation: string, status: number) => AnyAnswer | undefined;

  constructor(
    resource: Resource,
    shelf: Shelf,
    needs: readonly Need[],
    failed: (operation: string, status: number) => AnyAnswer | undefined,
  ) {
    this.#resource = resource;
    this.#shelf = shelf;
    this.#needs = needs;
    this.#failed = failed;
  }

  entries(): (readonly [string, AnyHandler])[] {
    const { create, list, get, replace, modify, remove } = this.#resource;
    const bound = (
      operation: Operation | undefined,
      handle: (operation: Operation, asked: Asked) => AnyAnswer,
    ): (readonly [string, AnyHandler])[] =>
      operation === undefined
        ? []
        : [[operation.id, async (asked) => handle.call(this, operation, asked)] as const];
    return [
      ...bound(create, this.#create),
      ...bound(list, this.#list),
      ...bound(get, this.#get),
      ...bound(replace, this.#change),
      ...bound(modify, this.#change),
      ...bound(remove, this.#remove),
    ];
  }

  #create(create: Operation, asked: Asked): AnyAnswer {
    const { id: place, parameter, itemPath } = this.#resource;
    const body = this.#told(create, asked);
    const absent = this.#absentFor(create, asked, body);
    if (absent !== undefined) return absent;
    const items = this.#shelf.of(asked.caller, objectOf(asked.path));
    const id = place.in === 'request' ? body[place.member] : this.#shelf.freshId();
    const name = place.in === 'location' ? parameter.name : place.member;
    const item = this.#whole({ ...this.#contentOf(body), [name]: id });
    const there = items.get(String(id));
    if (there !== undefined && exactJson(there) !== exactJson(item)) {
      const conflict = this.#failed(create.id, 409);
      if (conflict !== undefined) return conflict;
    }
    items.set(String(id), item);
    const path = objectOf(asked.path);
    const location = itemPath.replaceAll(/\{([^}]*)\}/g, (_, key: string) =>
      encodeURIComponent(String(key === parameter.name ? id : path[key])),
    );
    return this.#answer(create, item, documentsHeader(create, 'location') ? { Location: location } : {});
  }

  /** A parent, or another item that the body refers to, is not there. */
  #absentFor(operation: Operation, { caller, path }: Asked, body: Item): AnyAnswer | undefined {
    const isAbsent = this.#needs.some(({ relation: { name, isParent }, target }) => {
      const value = isParent ? objectOf(path)[name] : body[name];
      const ids = value === undefined || value === null ? [] : [value].flat();
      return ids.some((id) => !target.has(caller, id));
    });
    return isAbsent ? this.#failed(operation.id, 404) : undefined;
  }

  #list(list: Operation, asked: Asked): AnyAnswer {
    const absent = this.#absentFor(list, asked, {});
    if (absent !== undefined) return absent;
    const { id: place, parameter } = this.#resource;
    const name = place.in === 'location' ? parameter.name : place.member;
    const items = [...this.#shelf.readable(asked.caller, objectOf(asked.path)).values()];
    // Integers have an order; other items come as they were created.
    const sorted = items.every((item) => typeof item[name] === 'bigint')
      ? items.toSorted((a, b) => (BigInt(String(a[name])) < BigInt(String(b[name])) ? -1 : 1))
      : items;
    const { shown, envelope, link } = pageOf(list, sorted, objectOf(asked.query), (item) =>
      String(item[name]),
    );
    const layers = listOf(list)?.items ?? [];
    const body = shown.map((item) => shaped(item, membersOf(layers)));
    const member = listOf(list)?.member;
    const [status = 200] = successesOf(list);
    const path = objectOf(asked.path);
    const collection = list.path.replaceAll(/\{([^}]*)\}/g, (_, key: string) =>
      encodeURIComponent(String(path[key])),
    );
    return {
      status,
      headers:
        link !== undefined && documentsHeader(list, 'link')
          ? { Link: `<${collection}?${link}>; rel="next"` }
          : {},
      body: member === undefined ? body : { ...envelope, [member]: body },
    };
  }

  #get(get: Operation, asked: Asked): AnyAnswer {
    const item = this.#shelf.readable(asked.caller, objectOf(asked.path)).get(this.#idIn(asked));
    return item === undefined ? this.#absence(get) : this.#answer(get, item);
  }

  #change(operation: Operation, asked: Asked): AnyAnswer {
    const item = this.#find(asked);
    if (item === undefined) return this.#absence(operation);
    const body = this.#told(operation, asked);
    const absent = this.#absentFor(operation, { ...asked }, body);
    if (absent !== undefined) return absent;
    const named = membersOf(contentLayers(operation, this.#resource)).map(({ name }) => name);
    const isReplaced = operation.id === this.#resource.replace?.id;
    const contents = this.#resource.members.map(({ name }) => name);
    const kept = Object.entries(item).filter(
      ([name]) => !isReplaced || !named.includes(name) || !contents.includes(name),
    );
    const changed = Object.entries(this.#contentOf(body));
    const isMerge = asked.mediaType?.includes('merge-patch') === true;
    const merged = Object.entries(Object.fromEntries([...kept, ...changed]));
    // RFC 7396, section 2: null removes a member.
    const after = Object.fromEntries(merged.filter(([, part]) => !isMerge || part !== null));
    this.#shelf.of(asked.caller, objectOf(asked.path)).set(this.#idIn(asked), after);
    return this.#answer(operation, after);
  }

  #remove(remove: Operation, asked: Asked): AnyAnswer {
    const items = this.#shelf.of(asked.caller, objectOf(asked.path));
    const item = items.get(this.#idIn(asked));
    items.delete(this.#idIn(asked));
    return item === undefined ? this.#absence(remove) : this.#answer(remove, item);
  }

  #idIn({ path }: Asked): string {
    return String(objectOf(path)[this.#resource.parameter.name]);
  }

  #find(asked: Asked): Item | undefined {
    return this.#shelf.of(asked.caller, objectOf(asked.path)).get(this.#idIn(asked));
  }

  #absence(operation: Operation): AnyAnswer {
    const [status] = absencesOf(operation);
    const documented = status === undefined ? undefined : this.#failed(operation.id, status);
    return documented ?? this.#answer(operation, this.#whole({}));
  }

  /** The members of the item that a request names. */
  #told(operation: Operation, { body }: Asked): Item {
    const wrapper = wrapperOfRequest(operation, this.#resource.wrapper);
    return objectOf(wrapper === undefined ? body : objectOf(body)[wrapper]);
  }

  #answer(operation: Operation, item: Item, headers: Readonly<Record<string, string>> = {}): AnyAnswer {
    const [status = 200] = successesOf(operation);
    const whole = answerLayers(operation);
    const { wrapper } = this.#resource;
    const shown = shaped(item, membersOf(shownLayers(operation, this.#resource)));
    const body = isWrapped(whole, wrapper) ? shaped({ [wrapper]: shown }, membersOf(whole)) : shown;
    const hasBody = (operation.responses.get(status)?.content.size ?? 0) > 0;
    return { status, headers, ...(hasBody && { body }) };
  }

  /** Leaves out members that no schema of the create names, because they are not stored. */
  #contentOf(body: Item): Item {
    const known = this.#resource.members.flatMap(({ name, schemas }) => {
      const value = body[name];
      if (value === undefined) return [];
      const isTyped = typeOf(schemas.flatMap(layersOf)) !== undefined;
      return [[name, isTyped ? value : withoutBigints(value)] as const];
    });
    return Object.fromEntries(known);
  }

  /** Adds all that an answer must have, such as the time of creation. */
  #whole(item: Item): Item {
    const { create, get, list } = this.#resource;
    const members = [
      ...membersOf(shownLayers(create, this.#resource)),
      ...(get ? membersOf(shownLayers(get, this.#resource)) : []),
      ...(list ? membersOf(listOf(list)?.items ?? []) : []),
    ];
    const missing = members.filter(({ name, required }) => required && item[name] === undefined);
    return { ...Object.fromEntries(missing.map(({ name, schemas }) => [name, sampleFor(schemas)])), ...item };
  }
}

function documentsHeader(operation: Operation, name: string): boolean {
  const [status = 200] = successesOf(operation);
  const { headers = [] } = operation.responses.get(status) ?? {};
  return headers.some((header) => header.name.toLowerCase() === name);
}

/** The members that an answer's schema names. */
function shaped(item: Item, members: readonly Member[]): Item {
  if (members.length === 0) return item;
  const shown = members.flatMap(({ name, schemas, required }) => {
    const value = item[name] === undefined && required ? sampleFor(schemas) : item[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(shown);
}

/** The layer writes a bigint only where a schema has its type. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutBigints(part)]));
}

function objectOf(value: unknown): Item {
  // Validated parts of a request are objects; absent ones have no members.
  return typeof value === 'object' && value !== null ? (value as Item) : {};
}
