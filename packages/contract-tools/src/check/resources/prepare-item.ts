/**
 * Prepares the requests on one item, which belongs to the checker or does not exist.
 *
 * The path of a request names an item, and a generated id could be anybody's. So the id is replaced, and what
 * the answer must be is known before the request goes. A read goes to one of four items that nothing changes,
 * and a change or a delete to one that was just made. If the generated id is odd, the request goes to an item
 * that does not exist. A request that must be refused goes to an item that must be the same afterwards. If
 * the case is about the id itself, only the ends of its range are tried, and only if nobody else has an item
 * there.
 */

import type { Operation } from '../../document/operations.js';
import { isSafe } from '../../document/operations.js';
import {
  absencesOf,
  isAbsent,
  succeeded,
  successesOf,
  successesOrAbsencesOf,
} from '../../document/statuses.js';
import { isObject, show } from '../../values/json.js';
import { differs } from '../../values/look-alike.js';
import { breachOf } from '../answers/findings.js';
import type { Consequence, Prepared, Purpose } from '../answers/prepared.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { explainGone } from './blame.js';
import type { ResourceClient } from './client.js';
import type { Content } from './content.js';
import { mayEnd } from './expiry.js';
import { type Id, idsFor } from './ids.js';
import { ItemSupply } from './make-item.js';
import type { OwnItem } from './own-items.js';
import { settle, testimonyOf } from './readers.js';
import { bodyFor, contentAfter, filledBody, markedBody, mayHide } from './updates.js';

export class ItemRequests {
  readonly #client: ResourceClient;
  readonly #supply: ItemSupply;

  constructor(client: ResourceClient) {
    this.#client = client;
    this.#supply = new ItemSupply(client);
  }

  /** @returns undefined if no item can be made, or if the request might change somebody else's */
  async prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus: Focus | undefined,
  ): Promise<Prepared | undefined> {
    const prepared = await this.#prepare(operation, values, purpose, focus);
    const id = prepared && this.#askedId(prepared.values);
    if (prepared === undefined || id === undefined) return prepared;
    // Any other tag is a case about the tag.
    const known = await this.#client.conditionsFor('first', operation, id);
    const told = Object.entries(known).filter(([name]) => focus?.part !== 'header' || focus.where !== name);
    const headers = { ...prepared.values.headers, ...Object.fromEntries(told) };
    return { ...prepared, values: { ...prepared.values, headers } };
  }

  async #prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus: Focus | undefined,
  ): Promise<Prepared | undefined> {
    if (!this.#client.identity.knowsOwn) return undefined;
    const inPath = focus?.part === 'path';
    if (purpose === 'refused') {
      if (inPath && !isSafe(operation) && !(await this.#supply.edgesAreFree())) return undefined;
      return this.#refused(operation, values);
    }
    if (inPath && focus.where !== this.#client.resource.parameter.name) {
      return this.#below(operation, values, focus);
    }
    const asked = this.#askedId(values);
    if (inPath) return this.#atEdge(operation, values, asked);
    if (focus === undefined && isOdd(asked)) {
      const absent = this.#absentItem();
      if (absent !== undefined && absencesOf(operation).length > 0)
        return this.#absent(operation, values, absent);
    }
    const made =
      operation === this.#client.resource.get
        ? await this.#supply.settledItem()
        : await this.#supply.newItem();
    const body = filledBody(this.#client, operation, values.body, 'first', focus?.where.slice(1));
    return (
      made && blaming(operation, this.#present(operation, { ...values, body }, made.item, focus), made.fault)
    );
  }

  #askedId({ path }: RequestValues): Id | undefined {
    return this.#client.identity.idOf(path[this.#client.resource.parameter.name] ?? '');
  }

  #at(values: RequestValues, id: Id): RequestValues {
    return { ...values, path: { ...values.path, ...this.#client.pathTo(id) } };
  }

  /** Tries a value of a parameter above the item, which names another resource's: only reads may go there. */
  #below(operation: Operation, values: RequestValues, focus: Focus): Prepared | undefined {
    const id = this.#client.surroundings.anchor('first') ?? this.#client.own.of('first')[0]?.id;
    if (id === undefined || !isSafe(operation)) return undefined;
    const path = { ...this.#client.pathTo(id), [focus.where]: values.path[focus.where] ?? '' };
    return { values: { ...values, path }, statuses: successesOrAbsencesOf(operation) };
  }

  /** Tries a boundary value of the id: only where integers end, and only if nobody else has an item there. */
  async #atEdge(
    operation: Operation,
    values: RequestValues,
    asked: Id | undefined,
  ): Promise<Prepared | undefined> {
    if (asked === undefined) return undefined;
    const own = this.#client.identity.edges.includes(asked) ? await this.#supply.itemAt(asked) : undefined;
    // The items of other resources refer to the anchor, so it stays.
    if (own && this.#client.surroundings.isAnchor(own) && !isSafe(operation)) return undefined;
    if (own !== undefined) return this.#present(operation, values, own, undefined);
    // Reading changes nothing, whoever has the item.
    const statuses = successesOrAbsencesOf(operation);
    return isSafe(operation) ? { values: this.#at(values, asked), statuses } : undefined;
  }

  /** An id that nobody has: one that was never used, or that of a deleted item, if it does not come again. */
  #absentItem(): { readonly id: Id; readonly content?: Content } | undefined {
    const { identity, own, resource } = this.#client;
    const fresh = identity.ids?.fresh();
    if (fresh !== undefined) return { id: fresh };
    if (!own.idsComeAgain) return own.lastDeleted;
    const id = idsFor(resource.parameter.schema)?.fresh();
    return id === undefined ? undefined : { id };
  }

  /** Asks for an item that does not exist, or does not exist any more. */
  #absent(
    operation: Operation,
    values: RequestValues,
    { id, content: before }: { readonly id: Id; readonly content?: Content },
  ): Prepared {
    const client = this.#client;
    const { own, resource } = client;
    // RFC 9110, section 9.3.4: a PUT may create an item that is not there.
    const made = operation.id === resource.replace?.id;
    if (made)
      own.add({ owner: 'first', id, content: contentAfter(this.#client, operation, values.body, {}) });
    return {
      values: { ...this.#at(values, id), body: bodyFor(this.#client, operation, values.body, id) },
      statuses: [...absencesOf(operation), ...successesOf(operation)],
      verify: (answer) => {
        if (made && succeeded(operation, answer)) own.confirm('first', id);
        else if (made) own.remove('first', id, 'refused');
        return [];
      },
      follow: async (_step, answer) => {
        // RFC 9110, section 15.3.3: a 202 says that nobody has looked yet.
        if (made || !succeeded(operation, answer) || answer.status === 202) return undefined;
        const wanted = { owner: 'first', id, content: undefined, before } as const;
        const fault = await settle(client, resource.remove ?? resource.create, wanted);
        // RFC 9110, section 9.2.2: a DELETE may succeed as often as it is sent.
        const mayRepeat = operation === resource.remove && !client.rules.on.has('deletes-once');
        if (fault !== undefined || mayRepeat) return fault;
        const did = `there is no item ${id}, and it is answered ${answer.status}`;
        const rule = 'what is not there is answered as if it were';
        return { steps: [], breach: breachOf(operation, rule, did) };
      },
    };
  }

  /** Asks for an item that exists. */
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
      statuses: successesOrAbsencesOf(get),
      follow: async ({ request, outcome }, { status }) => {
        if (!succeeded(get, { status }) && !absencesOf(get).includes(status)) return undefined;
        const wanted = { owner, id, content };
        const testimony = testimonyOf(client, get, wanted, { request, outcome, status, breaches: [] });
        return settle(client, client.resource.create, wanted, testimony);
      },
    };
  }

  #remove(remove: Operation, prepared: Prepared, item: OwnItem): Prepared {
    const { owner, id, content } = item;
    const client = this.#client;
    return {
      ...prepared,
      statuses: successesOf(remove),
      verify: (answer) => {
        if (succeeded(remove, answer)) client.own.deleted(item, answer.status);
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
    const marked = markedBody(this.#client, operation, values.body, item, focus);
    const after = contentAfter(this.#client, operation, marked, item.content);
    const wanted = { owner, id, content: after, before: item.content };
    let moved: Id | undefined;
    return {
      values: { ...this.#at(values, id), body: bodyFor(this.#client, operation, marked, id) },
      statuses: successesOrAbsencesOf(operation),
      doubt: () => client.own.doubt(owner, id),
      verify: (answer) => {
        if (!succeeded(operation, answer)) return [];
        client.own.add({ ...item, content: after, created: true });
        if (mayHide(client, marked) || mayEnd(marked)) client.own.doubt(owner, id);
        const body = client.reader.shownBy(operation, answer);
        moved = client.identity.shownBy(body);
        if (moved !== undefined && moved !== id) {
          // The id follows from the content, as that of a page from its title.
          client.own.remove(owner, id, 'deleted');
          client.own.add({ ...item, id: moved, content: after, created: true });
        }
        const member = isObject(body)
          ? client.reader.difference(operation, after, body, answer.status)
          : undefined;
        if (member === undefined) return [];
        const did = `after ${show(after)} was sent: ${differs(member, after, body)} in the answer`;
        return [breachOf(operation, 'the answer is not what was sent', did)];
      },
      follow: async (_step, answer) => {
        if (answer.status === 202) return undefined;
        // What it refers to may be absent, or something around it in the way.
        const focused = focus?.where.slice(1).split('/')[0] ?? '';
        const isAbsence = absencesOf(operation).includes(answer.status);
        if (isAbsence ? client.surroundings.refersAt(focused) : !succeeded(operation, answer))
          return undefined;
        if (succeeded(operation, answer)) return settle(client, operation, { ...wanted, id: moved ?? id });
        // The answer says that the item does not exist: find out whether that is true.
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

  async #refused(operation: Operation, values: RequestValues): Promise<Prepared | undefined> {
    const client = this.#client;
    const { get, remove } = client.resource;
    const made = operation === remove ? await this.#supply.newItem() : await this.#supply.settledItem();
    if (made === undefined) return undefined;
    const { owner, id, content } = made.item;
    const prepared = {
      values: {
        ...this.#at(values, id),
        body: bodyFor(client, operation, filledBody(client, operation, values.body), id),
      },
    };
    if (operation === remove) {
      return blaming(
        operation,
        { ...prepared, untouched: () => this.#notRemoved(remove, made.item) },
        made.fault,
      );
    }
    if (isSafe(operation) || get === undefined) return prepared;
    const untouched = async (): Promise<Consequence | undefined> => {
      const fault = await settle(client, operation, { owner, id, content });
      // Another request that had to be refused, and was not, may have changed the item.
      return client.own.isDoubtful(made.item) ? undefined : fault;
    };
    const doubt = (): void => client.own.doubt(owner, id);
    return blaming(operation, { ...prepared, doubt, untouched }, made.fault);
  }

  async #notRemoved(remove: Operation, item: OwnItem): Promise<Consequence | undefined> {
    const client = this.#client;
    const { id } = item;
    const call = await client.item('first', remove, id);
    if (succeeded(remove, call) || isAbsent(remove, call)) client.own.deleted(item, call.status);
    return isAbsent(remove, call) ? explainGone(client, call, id) : undefined;
  }
}

/** Reports a fault that the item had before the request, instead of what the request shows. */
function blaming(
  operation: Operation,
  prepared: Prepared | undefined,
  fault: Consequence | undefined,
): Prepared | undefined {
  if (prepared === undefined || fault === undefined) return prepared;
  return {
    ...prepared,
    // The item may not be there at all.
    statuses: prepared.statuses && [...prepared.statuses, ...absencesOf(operation)],
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
