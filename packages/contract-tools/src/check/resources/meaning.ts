/**
 * The meaning of a contract's operations beyond their schemas: the resources that a request touches, and the
 * answer that must follow from that. An operation outside any collection has no meaning, and is
 * held back if it may change what belongs to others (held-back.ts).
 */

import type { Operation } from '../../document/operations.js';
import { isSafe } from '../../document/operations.js';
import { successesOf } from '../../document/statuses.js';
import { relationsOf } from '../../resources/relations.js';
import { operationsOf, resourcesOf } from '../../resources/shape.js';
import { memberOf, sameValue, type Value } from '../../values/json.js';
import { ask } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import type { OwnTarget, Prepared, Purpose } from '../answers/prepared.js';
import { exampleRequests, plainRequest } from '../requests/plain-request.js';
import { requestFor } from '../requests/request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { bulkOf } from './bulk-operations.js';
import { type ClientOptions, ResourceClient } from './client.js';
import { exactStoreOf } from './exact-store.js';
import { isOnItem, whyHeldBack } from './held-back.js';
import { nobodysPath } from './ids.js';
import type { Owner } from './own-items.js';
import { ResourceMeaning } from './resource-meaning.js';
import { namesUnknown } from './unknown-names.js';

export class Meaning {
  readonly #parts: readonly ResourceMeaning[];
  readonly #options: ClientOptions;
  /** Requests of operations outside any collection that succeed where the plainest one does not. */
  readonly #bases = new Map<Operation, RequestValues>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#parts = serviceOf(options);
  }

  /** The collections that were recognised, each behind those that it refers to. */
  get collections(): readonly ResourceMeaning[] {
    return this.#parts;
  }

  /** Whether a prepared request names something of which nobody knows that it is there (unknown-names.ts). */
  namesUnknown(operation: Operation, values: RequestValues, focus: Focus | undefined): boolean {
    const part = this.#partOf(operation);
    return namesUnknown(operation, values, focus, (name) => part?.knows(name, operation, focus) ?? false);
  }

  /** Makes what requests need to be there. */
  async ready(): Promise<void> {
    for (const part of this.#parts) await part.ready();
  }

  /** Finds requests of operations outside any collection that succeed. */
  async reach(operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      if (this.#partOf(operation) === undefined) await this.#reach(operation);
    }
  }

  /**
   * Whether an operation may end the credentials of the run, as a logout does, or one that renews them: it changes
   * something, and nothing says that this is an item.
   */
  mayEndCredentials(operation: Operation): boolean {
    if (isSafe(operation) || !operation.secured || this.heldBack(operation) !== undefined) return false;
    const isOfItems =
      isOnItem(operation, this.#clients) || this.#clients.some((one) => bulkOf(one, operation));
    return !isOfItems && this.#partOf(operation) === undefined;
  }

  /**
   * Finds a request that an operation outside any collection answers with success: the plainest one, or one
   * from the document's examples. A login takes one name of all that its schema allows, and only an example
   * may tell it.
   */
  async #reach(operation: Operation): Promise<void> {
    const { recorder, accounts } = this.#options;
    for (const example of [undefined, ...exampleRequests(operation)]) {
      const prepared = await this.prepare(operation, example ?? plainRequest(operation), 'accepted');
      if (prepared === undefined) return;
      const request = requestFor(operation, prepared.values, accounts.first);
      const { status } = await ask(
        this.#options,
        operation,
        request,
        accepted(operation, successesOf(operation)),
      );
      if (status === undefined) return;
      if (!successesOf(operation).includes(status)) continue;
      if (example === undefined) return;
      this.#bases.set(operation, example);
      recorder.note(
        `${operation.id} was tried with the document's examples, because it did not take the plainest request.`,
      );
      return;
    }
  }

  /**
   * The request of an operation that others are variants of: the plainest one, or an example if only an
   * example succeeds.
   */
  baseOf(operation: Operation): RequestValues {
    return this.#bases.get(operation) ?? plainRequest(operation);
  }

  /** Whether the server is known to refuse values that the document allows there. */
  isChoosy(operation: Operation, focus: Focus): boolean {
    const known = this.#partOf(operation);
    if (known !== undefined) return known.isChoosy(operation, focus);
    const { part, where } = focus;
    const member = where.split('/')[1] ?? '';
    const [tried, plain] = [this.baseOf(operation), plainRequest(operation)].map(
      ({ body }): Value => memberOf(body, member) ?? null,
    );
    return part === 'body' && !sameValue(tried ?? null, plain ?? null);
  }

  /** Whether a value there refers to an item of another collection. */
  refersAt(operation: Operation, focus: Focus): boolean {
    return this.#partOf(operation)?.refersAt(operation, focus) ?? false;
  }

  /**
   * Prepares a request, so that it touches only what belongs to the checker.
   *
   * @param focus the part of `values` that the case is about, which stays as it is
   * @returns undefined if the request cannot be sent without touching what belongs to somebody else
   */
  async prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus?: Focus,
  ): Promise<Prepared | undefined> {
    const part = this.#partOf(operation);
    if (part !== undefined) return part.prepare(operation, values, purpose, focus);
    if (this.heldBack(operation) !== undefined) return undefined;
    const own = await this.ownItem(operation.path);
    const tried = focus?.part === 'path' ? { [focus.where]: values.path[focus.where] ?? '' } : {};
    // Reading changes nothing, whoever has what is there.
    if (isSafe(operation)) return { values: { ...values, path: { ...values.path, ...own?.path, ...tried } } };
    // The user has taken the document's values for good ones.
    if (this.#isSent(operation)) return { values: { ...values, path: { ...values.path, ...own?.path } } };
    if (own === undefined && isOnItem(operation, this.#clients)) return undefined;
    const path = { ...values.path, ...nobodysPath(operation), ...own?.path };
    return { values: { ...values, path } };
  }

  /**
   * Makes an item of the checker's own for a path that has an item in it.
   *
   * @returns undefined if that is impossible
   */
  async ownItem(path: string): Promise<OwnTarget | undefined> {
    for (const part of this.#parts) {
      const target = await part.ownItem(path);
      if (target !== undefined) return target;
    }
    return undefined;
  }

  /** Why a valid request of an operation must not be sent; undefined if it may be sent. */
  obstacle(operation: Operation): string | undefined {
    const part = this.#partOf(operation);
    return part === undefined ? this.heldBack(operation) : part.client.obstacle;
  }

  /** Why an operation is not sent unless the user says so (held-back.ts); undefined if it is sent. */
  heldBack(operation: Operation): string | undefined {
    return this.#partOf(operation) === undefined
      ? whyHeldBack(operation, this.#options.description, this.#clients)
      : undefined;
  }

  /** Whether the user has said that an operation is sent, whatever it changes. */
  #isSent({ id }: Operation): boolean {
    return this.#options.description.rules.send?.includes(id) === true;
  }

  get #clients(): ResourceClient[] {
    return this.#parts.map(({ client }) => client);
  }

  /**
   * Removes what the checker has made.
   *
   * @returns one sentence for each thing that could not be removed
   */
  async cleanUp(): Promise<readonly string[]> {
    const left: string[] = [];
    // What refers to others goes first: some servers keep what is referred to.
    for (const part of this.#parts.toReversed()) left.push(...(await part.cleanUp()));
    return left;
  }

  #partOf(operation: Operation): ResourceMeaning | undefined {
    return this.#parts.find(({ operations }) => operations.some(({ id }) => id === operation.id));
  }
}

function serviceOf(options: ClientOptions): ResourceMeaning[] {
  const { second } = options.accounts;
  const resources = resourcesOf(options.description);
  const parts = resources.map((resource) => {
    const exactStore = exactStoreOf(resource, resources, options.description.rules);
    const client = new ResourceClient(resource, options, exactStore);
    // Without security, all requests come from one owner.
    const hasTwo = second.isKnown && operationsOf(resource).every((operation) => second.mayCall(operation));
    const both: readonly Owner[] = hasTwo ? ['first', 'second'] : ['first'];
    const known = resource.create.secured || exactStore ? both : both.slice(0, 1);
    return new ResourceMeaning(client, exactStore ? both : both.slice(0, 1), known);
  });
  for (const { client } of parts) {
    const needs = relationsOf(client.resource, resources).flatMap((relation) => {
      const target = parts.find((part) => part.client.resource === relation.target)?.client.surroundings;
      return target === undefined ? [] : [{ relation, target }];
    });
    client.surroundings.relate(needs);
  }
  return needsFirst(parts);
}

/**
 * Sorts each resource behind those that it refers to. Two that refer to each other keep the document's order.
 */
function needsFirst(parts: readonly ResourceMeaning[]): ResourceMeaning[] {
  const sorted: ResourceMeaning[] = [];
  let waiting = [...parts];
  while (waiting.length > 0) {
    const isReady = ({ client }: ResourceMeaning): boolean =>
      client.surroundings.needs.every(({ target }) =>
        sorted.some((part) => part.client.surroundings === target),
      );
    const next = waiting.find(isReady) ?? waiting[0];
    sorted.push(...waiting.filter((part) => part === next));
    waiting = waiting.filter((part) => part !== next);
  }
  return sorted;
}
