/** Requests on one item, which is always one of the checker's own, or nobody's. */
import type { Operation } from '../description.js';
import { isObject } from '../json.js';
import type { Consequence, Focus, Prepared, Purpose } from '../meaning.js';
import type { RequestValues } from '../request.js';
import { isSafe, together } from '../run.js';
import { layersOf } from '../schema.js';
import { membersOf } from '../sites.js';
import { explainGone, makeItem } from './blame.js';
import { bodyOf, breachOf, type ResourceClient, succeeded } from './client.js';
import { type Content, contentOf } from './content.js';
import type { Id } from './ids.js';
import type { OwnItem } from './own-items.js';
import { settle, testimonyOf } from './readers.js';
import { absencesOf, successesOf } from './shape.js';

/** An item of the checker's own, and what is wrong with it already. */
interface Made {
  readonly item: OwnItem;
  readonly fault: Consequence | undefined;
}

/** So many items are read, and are to stay as they are, while others are changed and deleted. */
const settled = 4;

export class ItemRequests {
  readonly #client: ResourceClient;
  readonly #settled: (Promise<Made | undefined> | undefined)[] = [];
  #turn = 0;
  /** Whether the items at the edges are the checker's own, or nobody's; found out once. */
  #edges: Promise<boolean> | undefined;

  constructor(client: ResourceClient) {
    this.#client = client;
  }

  async prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus: Focus | undefined,
  ): Promise<Prepared | undefined> {
    if (!this.#client.knowsOwn) return undefined;
    const inPath = focus?.part === 'path';
    if (purpose === 'refused') {
      if (inPath && !isSafe(operation) && !(await this.#edgesAreFree())) return undefined;
      return this.#refused(operation, values);
    }
    const asked = this.#askedId(values);
    if (inPath) return this.#atEdge(operation, values, asked);
    if (focus === undefined && isOdd(asked)) {
      const absent = this.#client.ids?.fresh() ?? this.#client.own.deletedId;
      if (absent !== undefined && absencesOf(operation).length > 0)
        return this.#absent(operation, values, absent);
    }
    const made = operation === this.#client.resource.get ? await this.#settledItem() : await this.#newItem();
    return made && blaming(this.#present(operation, values, made.item, focus), made.fault);
  }

  #askedId({ path }: RequestValues): Id | undefined {
    return this.#client.idOf(path[this.#client.resource.parameter.name] ?? '');
  }

  #at(values: RequestValues, id: Id): RequestValues {
    return { ...values, path: { ...values.path, ...this.#client.pathTo(id) } };
  }

  /** A boundary value of the id: only those at which integers end, and only if nobody else has an item there. */
  async #atEdge(
    operation: Operation,
    values: RequestValues,
    asked: Id | undefined,
  ): Promise<Prepared | undefined> {
    if (asked === undefined) return undefined;
    const own = this.#client.edges.includes(asked) ? await this.#itemAt(asked) : undefined;
    if (own !== undefined) return this.#present(operation, values, own, undefined);
    // Whoever has it: to read changes nothing.
    const statuses = [...successesOf(operation), ...absencesOf(operation)];
    return isSafe(operation) ? { values: this.#at(values, asked), statuses } : undefined;
  }

  /** An id that nobody uses, or not any more. */
  #absent(operation: Operation, values: RequestValues, id: Id): Prepared {
    const client = this.#client;
    const { own, resource } = client;
    // RFC 9110, section 9.3.4: a PUT may create what is not there.
    const made = operation === resource.replace;
    if (made) own.add({ owner: 'first', id, content: this.#after(operation, values.body, {}) });
    return {
      values: { ...this.#at(values, id), body: this.#bodyFor(operation, values.body, id) },
      statuses: [...absencesOf(operation), ...successesOf(operation)],
      verify: (answer) => {
        if (made && succeeded(operation, answer)) own.confirm('first', id);
        else if (made) own.remove('first', id, 'refused');
        return [];
      },
      follow: async (_step, answer) => {
        if (made || !succeeded(operation, answer)) return undefined;
        const wanted = { owner: 'first', id, content: undefined } as const;
        const did = `there is no item ${id}, and it is answered ${answer.status}`;
        const breach = breachOf(operation, 'what is not there is answered as if it were', did);
        return (await settle(client, resource.remove ?? resource.create, wanted)) ?? { steps: [], breach };
      },
    };
  }

  /** An item that is there. */
  #present(
    operation: Operation,
    values: RequestValues,
    item: OwnItem,
    focus: Focus | undefined,
  ): Prepared | undefined {
    const { resource } = this.#client;
    const prepared = { values: this.#at(values, item.id) };
    switch (operation) {
      case resource.get:
        return this.#read(operation, prepared, item);
      case resource.remove:
        return this.#remove(operation, prepared, item);
      default:
        return this.#change(operation, values, item, focus);
    }
  }

  #read(get: Operation, prepared: Prepared, { owner, id, content }: OwnItem): Prepared {
    const client = this.#client;
    return {
      ...prepared,
      statuses: [...successesOf(get), ...absencesOf(get)],
      follow: async ({ request, outcome }, { status }) => {
        const wanted = { owner, id, content };
        const testimony = testimonyOf(client, get, wanted, { request, outcome, status, breaches: [] });
        return settle(client, client.resource.create, wanted, testimony);
      },
    };
  }

  #remove(remove: Operation, prepared: Prepared, { owner, id, content }: OwnItem): Prepared {
    const client = this.#client;
    return {
      ...prepared,
      statuses: successesOf(remove),
      verify: () => {
        client.own.remove(owner, id, 'deleted');
        return [];
      },
      follow: async (_step, answer) => {
        if (!succeeded(remove, answer) || answer.status === 202 || client.resource.get === undefined)
          return undefined;
        return settle(client, remove, { owner, id, content: undefined, before: content });
      },
    };
  }

  #change(operation: Operation, values: RequestValues, item: OwnItem, focus: Focus | undefined): Prepared {
    const client = this.#client;
    const { owner, id } = item;
    const marked = this.#marked(operation, values.body, item, focus);
    const after = this.#after(operation, marked, item.content);
    const wanted = { owner, id, content: after, before: item.content };
    return {
      values: { ...this.#at(values, id), body: this.#bodyFor(operation, marked, id) },
      statuses: [...successesOf(operation), ...absencesOf(operation)],
      verify: (answer) => {
        if (!succeeded(operation, answer)) return [];
        client.own.add({ ...item, content: after, created: true });
        const body = bodyOf(answer);
        const member = isObject(body) ? client.difference(operation, after, body) : undefined;
        const did = `"${member}" differs in the answer from what was sent`;
        return member === undefined ? [] : [breachOf(operation, 'the answer is not what was sent', did)];
      },
      follow: async (_step, answer) => {
        if (answer.status === 202) return undefined;
        if (succeeded(operation, answer)) return settle(client, operation, wanted);
        // It says that the item is not there. Is it?
        const gone = await settle(client, client.resource.create, { owner, id, content: item.content });
        const breach = breachOf(
          operation,
          'an item that is there is not found',
          `${answer.status} for ${id}`,
        );
        return gone ?? { steps: [], breach };
      },
    };
  }

  /** The body with the mark by which the item is known, if the body has a text for it. */
  #marked(
    operation: Operation,
    body: RequestValues['body'],
    item: OwnItem,
    focus: Focus | undefined,
  ): RequestValues['body'] {
    const { own, resource } = this.#client;
    const mark = own.markOf(item.content);
    if (!isObject(body) || mark === undefined) return body;
    const carrier = Object.entries(item.content).find(
      ([, text]) => typeof text === 'string' && text.includes(mark),
    );
    // What a change leaves out stays, and the mark with it.
    if (operation === resource.modify && !Object.hasOwn(body, carrier?.[0] ?? '')) return body;
    const marked = this.#client.marked(body, mark, {
      not: focus?.where.slice(1) ?? '',
      keep: focus === undefined,
    });
    const known = [...this.#members(operation), ...Object.keys(body)];
    return Object.keys(marked).every((name) => known.includes(name)) ? marked : body;
  }

  #members({ body }: Operation): string[] {
    return body === undefined ? [] : membersOf(layersOf(body.schema)).map(({ name }) => name);
  }

  /** If the body of an update names the id, it is the one of the path. */
  #bodyFor(operation: Operation, body: RequestValues['body'], id: Id): RequestValues['body'] {
    const { id: place, parameter } = this.#client.resource;
    const member = place.in === 'location' ? parameter.name : place.member;
    return isObject(body) && this.#members(operation).includes(member) ? { ...body, [member]: id } : body;
  }

  /** What an item is after an update: a PUT replaces all members that it can name, a PATCH those that it does. */
  #after(operation: Operation, body: RequestValues['body'], before: Content): Content {
    const { members } = this.#client.resource;
    const named = this.#members(operation);
    const kept =
      operation === this.#client.resource.replace
        ? Object.fromEntries(Object.entries(before).filter(([name]) => !named.includes(name)))
        : before;
    const taken = members.filter(({ name }) => named.includes(name));
    return { ...kept, ...contentOf(taken, body) };
  }

  async #refused(operation: Operation, values: RequestValues): Promise<Prepared | undefined> {
    const client = this.#client;
    const { get, remove } = client.resource;
    const made = operation === remove ? await this.#newItem() : await this.#settledItem();
    if (made === undefined) return undefined;
    const { owner, id, content } = made.item;
    const prepared = {
      values: { ...this.#at(values, id), body: this.#bodyFor(operation, values.body, id) },
    };
    if (operation === remove) {
      return blaming({ ...prepared, untouched: () => this.#notRemoved(remove, id) }, made.fault);
    }
    if (isSafe(operation) || get === undefined) return prepared;
    return blaming(
      { ...prepared, untouched: () => settle(client, operation, { owner, id, content }) },
      made.fault,
    );
  }

  async #notRemoved(remove: Operation, id: Id): Promise<Consequence | undefined> {
    const client = this.#client;
    const call = await client.item('first', remove, id);
    client.own.remove('first', id, 'deleted');
    return client.isAbsent(remove, call) ? explainGone(client, call, id) : undefined;
  }

  /** A lenient server could take a broken id for one at an edge: nothing is tried if somebody else may have an item there. */
  #edgesAreFree(): Promise<boolean> {
    const { edges } = this.#client;
    this.#edges ??= together(edges.map((id) => this.#isFree(id))).then((free) => free.every(Boolean));
    return this.#edges;
  }

  /** Whether an item with this id is the checker's own, or there is none. */
  async #isFree(id: Id): Promise<boolean> {
    const client = this.#client;
    const { get } = client.resource;
    if ((await this.#itemAt(id)) !== undefined) return true;
    if (client.promises.repeats || get === undefined) return false;
    return client.isAbsent(
      get,
      await client.item('first', get, id, [...successesOf(get), ...absencesOf(get)]),
    );
  }

  /** Reads it at once: what is wrong with it now is not the fault of what comes next. */
  async #newItem(): Promise<Made | undefined> {
    const client = this.#client;
    const { create, get } = client.resource;
    const { id } = await makeItem(client, client.plainContent('to be changed', 'with'));
    const item = id === undefined ? undefined : client.own.find('first', id);
    if (item === undefined) return undefined;
    return { item, fault: get && (await settle(client, create, item)) };
  }

  #settledItem(): Promise<Made | undefined> {
    const turn = this.#turn++ % settled;
    const made = this.#settled[turn] ?? this.#newItem();
    this.#settled[turn] = made;
    return made;
  }

  /** @returns the checker's own item with this id, made now if it was not before; undefined if somebody else has one */
  async #itemAt(id: Id): Promise<OwnItem | undefined> {
    const { own, promises, resource } = this.#client;
    const there = own.find('first', id);
    if (there !== undefined) return there;
    // Only a create that is refused then leaves alone what others have there.
    if (!promises.repeats) return undefined;
    const content = this.#client.plainContent('to be deleted');
    own.add({ owner: 'first', id, content });
    const statuses = [...successesOf(resource.create), 409];
    const call = await this.#client.create('first', id, content, statuses);
    if (succeeded(resource.create, call)) own.confirm('first', id);
    // After any other answer it may be there, or not.
    else if (call.status === 409) own.remove('first', id, 'refused');
    return succeeded(resource.create, call) ? own.find('first', id) : undefined;
  }
}

/** If the item was wrong before the request, that is what is wrong. */
function blaming(prepared: Prepared | undefined, fault: Consequence | undefined): Prepared | undefined {
  if (prepared === undefined || fault === undefined) return prepared;
  return {
    ...prepared,
    verify: (answer) => {
      prepared.verify?.(answer);
      return [];
    },
    follow: async () => fault,
    untouched: async (answer) => {
      await prepared.untouched?.(answer);
      return fault;
    },
  };
}

function isOdd(id: Id | undefined): boolean {
  return typeof id === 'bigint' ? id % 2n !== 0n : (id?.charCodeAt(id.length - 1) ?? 0) % 2 === 1;
}
