/**
 * Makes handlers that keep items for the life of the process. They do for every resource that the checker
 * recognises (../resources/shape.ts): what is created can be read, changed, listed and deleted, by the
 * owner who created it.
 *
 * A front end that is tried on a mock of examples creates a plant, and does not find it in the list. With
 * these handlers it does. What the document's shape does not say is decided in the plainest way:
 *
 * - The same create again changes nothing. Other content for the same id is a 409, if that is documented;
 *   otherwise it replaces the item.
 * - A parent in the path, or another resource's item that a body names, must exist, or the answer is a 404,
 *   if that is documented.
 * - Items are listed in the order of integer ids, else in the order in which they were created, and in pages
 *   if the list has parameters for that (page.ts).
 * - An item that is not there is answered by the documented 404 or 410. If neither is documented, an item is
 *   made up, because the document has no answer that says so.
 *
 * Operations that belong to no resource keep answering examples.
 */

import type { Contract } from '../../../src/contract/contract.js';
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import { exactJson } from '../../../src/schema/exact-json.js';
import { type Operation, operationsOf, type Paths, pathsOf } from '../document/operations.js';
import { absencesOf, successesOf } from '../document/statuses.js';
import { type Relation, relationsOf } from '../resources/relations.js';
import { contentLayers, listOf, type Resource, resourcesOf } from '../resources/shape.js';
import { membersOf } from '../values/sites.js';
import { answerWith, contentOf, type Item, objectOf, shaped, toldIn, wholeItem } from './bodies.js';
import { pageOf } from './page.js';
import type { Refuse } from './refusals.js';
import { Shelf } from './shelf.js';

interface Memory {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** The paths of the collections whose items are kept. */
  readonly kept: readonly string[];
}

export function memoryOf(contract: Contract, refuse: Refuse): Memory {
  // The shelves hold items below their parents: those at a path of their own are not kept.
  const resources = resourcesOf({ paths: pathsIn(contract) }).filter(({ itemPath, collectionPath }) =>
    itemPath.startsWith(`${collectionPath}/`),
  );
  const shelves = new Map(resources.map((resource) => [resource, new Shelf(resource)]));
  const handlers = resources.flatMap((resource) => {
    const needs = relationsOf(resource, resources).map((relation) => ({
      relation,
      // Relations lead to resources of the same document only.
      target: shelves.get(relation.target) as Shelf,
    }));
    const shelf = shelves.get(resource) as Shelf;
    return new Handlers(resource, shelf, needs, refuse).entries();
  });
  return {
    handlers: Object.fromEntries(handlers),
    kept: resources.map(({ collectionPath }) => collectionPath),
  };
}

/** Lists the operations that the contract has by their paths; the mock may have left out others. */
function pathsIn(contract: Contract): Paths {
  const served = new Set(contract.operations.map(({ id }) => id));
  const described = operationsOf(contract).operations;
  return pathsOf(described.filter(({ id }) => served.has(id)));
}

interface Need {
  readonly relation: Relation;
  readonly target: Shelf;
}

type Asked = Parameters<AnyHandler>[0];
type Handle = (operation: Operation, asked: Asked) => AnyAnswer;

/** The handlers of one resource's operations. */
class Handlers {
  readonly #resource: Resource;
  readonly #shelf: Shelf;
  readonly #needs: readonly Need[];
  readonly #refuse: Refuse;

  constructor(resource: Resource, shelf: Shelf, needs: readonly Need[], refuse: Refuse) {
    this.#resource = resource;
    this.#shelf = shelf;
    this.#needs = needs;
    this.#refuse = refuse;
  }

  /** The handlers by operationId. */
  entries(): (readonly [string, AnyHandler])[] {
    const { create, list, get, replace, modify, remove } = this.#resource;
    const handlers: readonly (readonly [Operation | undefined, Handle])[] = [
      [create, this.#create],
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

  #create(create: Operation, asked: Asked): AnyAnswer {
    const { id: place, parameter, itemPath } = this.#resource;
    const body = toldIn(this.#resource, create, asked.body);
    const absent = this.#absentFor(create, asked, body);
    if (absent !== undefined) return absent;
    const items = this.#shelf.of(asked.caller, objectOf(asked.path));
    const id = place.in === 'request' ? body[place.member] : this.#shelf.freshId();
    const name = place.in === 'location' ? parameter.name : place.member;
    const item = wholeItem(this.#resource, { ...contentOf(this.#resource, body), [name]: id });
    const there = items.get(String(id));
    if (there !== undefined && exactJson(there) !== exactJson(item)) {
      const conflict = this.#refuse(create.id, {
        status: 409,
        message: `The ${name} ${id} is taken by other content.`,
      });
      if (conflict !== undefined) return conflict;
    }
    items.set(String(id), item);
    const path = objectOf(asked.path);
    const location = itemPath.replaceAll(/\{([^}]*)\}/g, (_, key: string) =>
      encodeURIComponent(String(key === parameter.name ? id : path[key])),
    );
    return answerWith(
      this.#resource,
      create,
      item,
      documentsHeader(create, 'location') ? { Location: location } : {},
    );
  }

  /** RFC 9110, section 9.3.4: a PUT is answered 201 if the item is new. */
  #put(put: Operation, asked: Asked): AnyAnswer {
    const { id: place, parameter } = this.#resource;
    const body = toldIn(this.#resource, put, asked.body);
    const absent = this.#absentFor(put, asked, body);
    if (absent !== undefined) return absent;
    const items = this.#shelf.of(asked.caller, objectOf(asked.path));
    const isNew = !items.has(this.#idIn(asked));
    const name = place.in === 'location' ? parameter.name : place.member;
    const id = objectOf(asked.path)[parameter.name];
    const item = wholeItem(this.#resource, { ...contentOf(this.#resource, body), [name]: id });
    items.set(this.#idIn(asked), item);
    const status = isNew ? 201 : successesOf(put).find((one) => one !== 201);
    return answerWith(this.#resource, put, item, {}, status);
  }

  /** Makes the answer if a parent, or an item that the body refers to, is not there; undefined if all are. */
  #absentFor(operation: Operation, { caller, path }: Asked, body: Item): AnyAnswer | undefined {
    const isAbsent = this.#needs.some(({ relation: { name, isParent }, target }) => {
      const value = isParent ? objectOf(path)[name] : body[name];
      const ids = value === undefined || value === null ? [] : [value].flat();
      return ids.some((id) => !target.has(caller, id));
    });
    if (!isAbsent) return undefined;
    const message = 'What the request refers to is not there.';
    return this.#refuse(operation.id, { status: 404, message });
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
    return item === undefined ? this.#absence(get) : answerWith(this.#resource, get, item);
  }

  #change(operation: Operation, asked: Asked): AnyAnswer {
    const item = this.#find(asked);
    if (item === undefined) return this.#absence(operation);
    const body = toldIn(this.#resource, operation, asked.body);
    const absent = this.#absentFor(operation, asked, body);
    if (absent !== undefined) return absent;
    const named = membersOf(contentLayers(operation, this.#resource)).map(({ name }) => name);
    const isReplaced = operation.id === this.#resource.replace?.id;
    const contents = this.#resource.members.map(({ name }) => name);
    const kept = Object.entries(item).filter(
      ([name]) => !isReplaced || !named.includes(name) || !contents.includes(name),
    );
    const changed = Object.entries(contentOf(this.#resource, body));
    const isMerge = asked.mediaType?.includes('merge-patch') === true;
    const merged = Object.entries(Object.fromEntries([...kept, ...changed]));
    // RFC 7396, section 2: null removes a member.
    const after = Object.fromEntries(merged.filter(([, part]) => !isMerge || part !== null));
    this.#shelf.of(asked.caller, objectOf(asked.path)).set(this.#idIn(asked), after);
    return answerWith(this.#resource, operation, after);
  }

  #remove(remove: Operation, asked: Asked): AnyAnswer {
    const items = this.#shelf.of(asked.caller, objectOf(asked.path));
    const item = items.get(this.#idIn(asked));
    items.delete(this.#idIn(asked));
    return item === undefined ? this.#absence(remove) : answerWith(this.#resource, remove, item);
  }

  #idIn({ path }: Asked): string {
    return String(objectOf(path)[this.#resource.parameter.name]);
  }

  #find(asked: Asked): Item | undefined {
    return this.#shelf.of(asked.caller, objectOf(asked.path)).get(this.#idIn(asked));
  }

  #absence(operation: Operation): AnyAnswer {
    const [status] = absencesOf(operation);
    const documented =
      status === undefined
        ? undefined
        : this.#refuse(operation.id, { status, message: 'There is nothing with this id.' });
    return documented ?? answerWith(this.#resource, operation, wholeItem(this.#resource, {}));
  }
}

function documentsHeader(operation: Operation, name: string): boolean {
  const [status = 200] = successesOf(operation);
  const { headers = [] } = operation.responses.get(status) ?? {};
  return headers.some((header) => header.name.toLowerCase() === name);
}
