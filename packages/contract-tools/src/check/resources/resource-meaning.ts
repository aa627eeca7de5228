/**
 * Brings together what is tried of one collection and its items, as far as the document's shape tells it.
 * meaning.ts has one of these for each collection, and asks it for requests of its operations.
 */

import type { Operation } from '../../document/operations.js';
import { succeeded } from '../../document/statuses.js';
import { operationsOf } from '../../resources/shape.js';
import { wrapperOfRequest } from '../../resources/wrapper.js';
import { isObject } from '../../values/json.js';
import type { OwnTarget, Prepared, Purpose } from '../answers/prepared.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { within } from './bodies.js';
import { cleanUp } from './clean-up.js';
import type { ResourceClient } from './client.js';
import { saysEnd } from './expiry.js';
import { makeWhole } from './make-item.js';
import type { Owner } from './own-items.js';
import { prepareCreate, prepareList } from './prepare-collection.js';
import { ItemRequests } from './prepare-item.js';
import { reach } from './reach.js';

export class ResourceMeaning {
  readonly client: ResourceClient;
  readonly owners: readonly Owner[];
  /** The owners whose credentials the run has. */
  readonly known: readonly Owner[];
  readonly #items: ItemRequests;

  /**
   * @param owners the owners whose items are tried in every way: both in an exact store, else the first
   * @param known the owners whose credentials the run has
   */
  constructor(client: ResourceClient, owners: readonly Owner[], known = owners) {
    this.client = client;
    this.owners = owners;
    this.known = known;
    this.#items = new ItemRequests(client);
  }

  get operations(): Operation[] {
    return operationsOf(this.client.resource);
  }

  async prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus?: Focus,
  ): Promise<Prepared | undefined> {
    const { list, wrapper } = this.client.resource;
    if (operation === list) return prepareList(this.client, list, values, focus);
    const name = wrapperOfRequest(operation, wrapper);
    const part = focusWithin(name, focus);
    const told = { ...values, body: within(this.client.resource, operation, values.body) };
    const prepared = await this.#prepare(operation, told, purpose, part);
    const content = prepared?.values.body;
    if (name === undefined || prepared === undefined || content === undefined) return prepared;
    const body = { ...(isObject(values.body) && values.body), [name]: content };
    return { ...prepared, values: { ...prepared.values, body } };
  }

  #prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus: Focus | undefined,
  ): Promise<Prepared | undefined> {
    return operation.id === this.client.resource.create.id
      ? prepareCreate(this.client, values, purpose, focus)
      : this.#items.prepare(operation, values, purpose, focus);
  }

  /** Whether the server is known to refuse values that the document allows there. */
  isChoosy(operation: Operation, focus: Focus): boolean {
    // No document says how a server refuses a reference to what is absent: by 404, 409 or 422, for example.
    const isChoosy = this.client.surroundings.choosy.has(this.#memberAt(operation, focus));
    return focus.part === 'body' && (isChoosy || this.refersAt(operation, focus));
  }

  refersAt(operation: Operation, focus: Focus): boolean {
    return focus.part === 'body' && this.client.surroundings.refersAt(this.#memberAt(operation, focus));
  }

  /** Whether a member that the case is not about has the item's own id, or refers to an item that is there. */
  knows(name: string, operation: Operation, focus: Focus | undefined): boolean {
    const { id, parameter } = this.client.resource;
    const own = id.in === 'location' ? parameter.name : id.member;
    const isTried = focus !== undefined && this.#memberAt(operation, focus) === name;
    return name === own || (!isTried && this.client.surroundings.refersAt(name));
  }

  #memberAt(operation: Operation, focus: Focus): string {
    const part = focusWithin(wrapperOfRequest(operation, this.client.resource.wrapper), focus);
    return part?.where.split('/')[1] ?? '';
  }

  /**
   * Makes an item for a path that has one in it: that of the item, and paths below, such as
   * `/plants/{id}/photo`.
   *
   * @returns undefined if the path has no such item, or none can be made
   */
  async ownItem(path: string): Promise<OwnTarget | undefined> {
    const { itemPath } = this.client.resource;
    if (path !== itemPath && !path.startsWith(`${itemPath}/`)) return undefined;
    if (this.client.surroundings.unreached !== undefined) return undefined;
    const item = await makeWhole(this.client, 'of a path');
    if (item === undefined) return undefined;
    const { id, content } = item;
    // Whatever is done at the path may change or end the item.
    this.client.own.doubt('first', id);
    const discard = async (): Promise<void> => {
      const { remove } = this.client.resource;
      if (remove === undefined) return;
      const call = await this.client.item('first', remove, id);
      if (succeeded(remove, call)) this.client.own.deleted(item, call.status);
    };
    return { path: this.client.pathTo(id), body: content, discard };
  }

  /** Makes the item that other resources refer to, after those that it refers to itself. */
  async ready(): Promise<void> {
    const { exactStore, resource, rules, surroundings } = this.client;
    const ends = resource.members.map(({ name }) => name).filter(saysEnd);
    if (ends.length > 0)
      this.client.note(
        `Items of ${resource.collectionPath} with ${ends.join(', ')} may end by themselves, so that they were not compared later.`,
      );
    const isAlone = surroundings.needs.length === 0 && !surroundings.isNeeded;
    // Each valid create of an exact store succeeds.
    if (!isAlone || exactStore === undefined || !rules.on.has('valid-requests-succeed')) {
      for (const owner of this.known) await reach(this.client, owner);
    }
    await this.#learnIds();
  }

  /** Finds out whether the id of a deleted item comes again, which it does at once where it does. */
  async #learnIds(): Promise<void> {
    const { identity, own, resource, surroundings } = this.client;
    const { remove } = resource;
    if (remove === undefined || identity.ids !== undefined || surroundings.unreached !== undefined) return;
    const item = await makeWhole(this.client, 'to be deleted');
    if (item === undefined) return;
    const call = await this.client.item('first', remove, item.id);
    if (!succeeded(remove, call)) return;
    own.deleted(item, call.status);
    await makeWhole(this.client, 'in its place');
    if (own.idsComeAgain)
      this.client.note(
        `${resource.create.id} gives the ids of deleted items again, so that requests for what was deleted were not tried.`,
      );
  }

  /** @returns sentences that list what could not be removed */
  cleanUp(): Promise<readonly string[]> {
    return cleanUp(this.client, this.known);
  }
}

/** Returns the same place, as a pointer that begins within the wrapper. */
function focusWithin(wrapper: string | undefined, focus: Focus | undefined): Focus | undefined {
  if (wrapper === undefined || focus?.part !== 'body') return focus;
  const isWithin = focus.where.startsWith(`/${wrapper}/`);
  return { ...focus, where: isWithin ? focus.where.slice(wrapper.length + 1) : '' };
}
