/** Makes items of the checker's own, for probes and for requests on one item. */

import {
  documented,
  isAbsent,
  succeeded,
  successesOf,
  successesOrAbsencesOf,
} from '../../document/statuses.js';
import type { Consequence } from '../answers/prepared.js';
import { together } from '../requests/at-once.js';
import type { Reply } from '../requests/reply.js';
import type { RequestValues } from '../requests/request-values.js';
import { withId } from './bodies.js';
import type { Call } from './call.js';
import type { ResourceClient } from './client.js';
import type { Content } from './content.js';
import { mayBeHidden } from './default-filters.js';
import { mayEnd, soonEndOf } from './expiry.js';
import type { Id } from './ids.js';
import type { Owner, OwnItem } from './own-items.js';
import { settle } from './readers.js';

/**
 * Creates an item of the checker's own.
 *
 * @returns its id; undefined if the server has refused it, or has not told the id that it has chosen
 */
export async function makeItem(
  client: ResourceClient,
  content?: Content,
  owner: Owner = 'first',
  create = client.resource.create,
): Promise<{ call: Call; id: Id | undefined }> {
  const { identity, own } = client;
  const sent = identity.ids?.fresh();
  const made = content ?? client.plainContent('one of many', 'without', owner);
  if (sent !== undefined) own.add({ owner, id: sent, content: made });
  const askedAt = Date.now();
  const call = await client.create(owner, sent, made, undefined, create);
  const id = succeeded(create, call) ? client.reader.idFrom(call.outcome, sent) : undefined;
  if (id !== undefined)
    own.add({ owner, id, content: made, created: true, ...prospects(client, made, askedAt, call.outcome) });
  return { call, id };
}

/** What may become of an item that was just made, by what was sent and by the answer to it (expiry.ts). */
export function prospects(
  client: ResourceClient,
  sent: Content,
  askedAt: number,
  reply: Reply,
): Pick<OwnItem, 'doubtful' | 'endsAt'> {
  const { create, collectionPath } = client.resource;
  const end = soonEndOf(sent, askedAt, client.reader.shownBy(create, reply), reply);
  if (end !== undefined)
    client.note(
      `Items of ${collectionPath} may end by themselves at the time in "${end.member}", so that nothing was expected of them from then on.`,
    );
  return { doubtful: mayBeHidden(client.resource, sent) || mayEnd(sent), endsAt: end?.at };
}

/**
 * Creates an item with all its members. If the create does not take them, it makes one with those that are
 * required.
 *
 * @returns undefined if no create succeeded
 */
export async function makeWhole(client: ResourceClient, words: string): Promise<OwnItem | undefined> {
  for (const optional of ['with', 'without'] as const) {
    const { id } = await makeItem(client, client.plainContent(words, optional));
    if (id !== undefined) return client.own.find('first', id);
  }
  return undefined;
}

/**
 * Sends a create that may be refused. What it makes is doubtful: a probe is about to find out whose it is, and what.
 *
 * @param values parameters that are not those of an item of this owner
 */
export async function makeDoubtful(
  client: ResourceClient,
  owner: Owner,
  content: Content,
  values: Partial<RequestValues>,
): Promise<{ call: Call; id: Id | undefined }> {
  const { identity, own, reader, resource } = client;
  const { create } = resource;
  const sent = identity.ids?.fresh();
  const path = { ...values.path, ...client.pathOfNew(sent) };
  const body = withId(resource, sent, content);
  const call = await client.call(owner, create, { ...values, path, body }, documented(create));
  const id = succeeded(create, call) ? reader.idFrom(call.outcome, sent) : undefined;
  if (id !== undefined && own.find('first', id) === undefined)
    own.add({ owner, id, content, created: true, doubtful: true });
  return { call, id };
}

/** An item of the checker's own, with the fault that it already has. */
interface Made {
  readonly item: OwnItem;
  readonly fault: Consequence | undefined;
}

/** The number of items that are read but not changed, while others are changed and deleted. */
const settled = 4;

/**
 * Gives items to requests on one item. A request that may change its item gets one of its own. Requests that
 * read, or that must be refused, share four, because a create for each of them would double the requests of a
 * run. An item whose answers were wrong is replaced.
 */
export class ItemSupply {
  readonly #client: ResourceClient;
  readonly #settled: (Promise<Made | undefined> | undefined)[] = [];
  #turn = 0;
  /** Whether the items at the edges are the checker's own, or nobody's; found out once. */
  #edges: Promise<boolean> | undefined;

  constructor(client: ResourceClient) {
    this.#client = client;
  }

  /**
   * Makes an item, and reads it at once: a fault that it has now must not be blamed on later operations.
   *
   * @returns undefined if none can be made
   */
  async newItem(): Promise<Made | undefined> {
    const client = this.#client;
    const { create, get } = client.resource;
    if (client.surroundings.unreached !== undefined) return undefined;
    const item = await makeWhole(client, 'to be changed');
    if (item === undefined) return undefined;
    return { item, fault: get && (await settle(client, create, item)) };
  }

  /** @returns one of the shared items; undefined if none can be made */
  settledItem(): Promise<Made | undefined> {
    const turn = this.#turn++ % settled;
    const before = this.#settled[turn] ?? this.newItem();
    const isSpoilt = (made: Made | undefined): boolean =>
      made !== undefined && this.#client.own.isDoubtful(made.item);
    const made = before.then((there) => (isSpoilt(there) ? this.newItem() : there));
    this.#settled[turn] = made;
    return made;
  }

  /** Whether nobody else has an item at an edge: a lenient server could take a broken id for one of these. */
  edgesAreFree(): Promise<boolean> {
    const { edges } = this.#client.identity;
    this.#edges ??= together(edges.map((id) => this.#isFree(id))).then((free) => free.every(Boolean));
    return this.#edges;
  }

  /** Whether an item with this id is the checker's own, or does not exist. */
  async #isFree(id: Id): Promise<boolean> {
    const client = this.#client;
    const { get } = client.resource;
    if ((await this.itemAt(id)) !== undefined) return true;
    if (client.exactStore !== undefined || get === undefined) return false;
    return isAbsent(get, await client.item('first', get, id, successesOrAbsencesOf(get)));
  }

  /** @returns the checker's own item with this id, made now if need be; undefined if another has one */
  async itemAt(id: Id): Promise<OwnItem | undefined> {
    const { own, exactStore, resource } = this.#client;
    const there = own.find('first', id);
    if (there !== undefined) return there;
    // Other items are safe only if a create of their id is refused.
    if (exactStore === undefined) return undefined;
    const content = this.#client.plainContent('to be deleted');
    own.add({ owner: 'first', id, content });
    const statuses = [...successesOf(resource.create), 409];
    const call = await this.#client.create('first', id, content, statuses);
    if (succeeded(resource.create, call)) own.confirm('first', id);
    // After any other answer the item may exist, or not.
    else if (call.status === 409) own.remove('first', id, 'refused');
    return succeeded(resource.create, call) ? own.find('first', id) : undefined;
  }
}
