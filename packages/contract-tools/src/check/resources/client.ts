/**
 * Calls a resource's operations with valid requests. What knows how one collection works stands beside it:
 * how its ids are chosen (`identity`), by what the checker knows its own items again (`markers`, `own`), what
 * they need around them (`surroundings`), and where answers have them (`reader`). All methods that call an
 * operation reject as `ask` does (../answers/attempt.ts): with a HaltedError if the run is over, and with an
 * UnreachableError if nobody accepts connections.
 */

import type { Operation } from '../../document/operations.js';
import { successesOf, successesOrAbsencesOf } from '../../document/statuses.js';
import { type Paging, pagingOf } from '../../resources/paging.js';
import { contentLayers, type Resource } from '../../resources/shape.js';
import { violationsOf } from '../../values/schema.js';
import { plainMembers } from '../../values/valid-values.js';
import { ask } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import type { Recorder } from '../answers/findings.js';
import type { Account } from '../document/accounts.js';
import type { Description } from '../document/description.js';
import type { Rules } from '../document/rules.js';
import type { Exchange } from '../requests/exchange.js';
import { plainRequest } from '../requests/plain-request.js';
import { requestFor } from '../requests/request.js';
import type { RequestValues } from '../requests/request-values.js';
import { AnswerReader } from './answer-reader.js';
import { withId, within, wrapped } from './bodies.js';
import type { Call } from './call.js';
import { conditionHeaders, conditionsOf } from './conditions.js';
import { type Content, contentOf } from './content.js';
import { shownByDefault } from './default-filters.js';
import type { ExactStore } from './exact-store.js';
import { Identity, tooFewIds } from './identity.js';
import type { Id } from './ids.js';
import { Markers } from './markers.js';
import { type Owner, OwnItems } from './own-items.js';
import { Surroundings } from './surroundings.js';

export interface ClientOptions {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly recorder: Recorder;
  readonly accounts: Readonly<Record<Owner, Account>>;
}

export class ResourceClient {
  readonly resource: Resource;
  /** What it must keep beyond the document's shape; undefined if nothing promises that. */
  readonly exactStore: ExactStore | undefined;
  readonly identity: Identity;
  readonly markers: Markers;
  readonly own: OwnItems;
  readonly surroundings: Surroundings;
  readonly reader: AnswerReader;
  /** How the pages of the list follow each other; undefined if it has none. */
  readonly paging: Paging | undefined;
  readonly #options: ClientOptions;
  readonly #plain: PlainContent;

  constructor(resource: Resource, options: ClientOptions, exactStore?: ExactStore) {
    this.resource = resource;
    this.exactStore = exactStore;
    this.#options = options;
    this.identity = new Identity(resource);
    this.markers = new Markers(resource.members, contentLayers(resource.create, resource));
    this.own = new OwnItems(this.markers);
    this.surroundings = new Surroundings(resource);
    this.paging = resource.list && pagingOf(resource.list);
    this.#plain = plainContentOf(resource);
    this.reader = new AnswerReader({
      ...{ resource, identity: this.identity, markers: this.markers },
      judgesUnsent: this.rules.on.has('unsent-members'),
      note: (sentence) => this.note(sentence),
    });
  }

  /** Why no item of its own can be made; undefined if one was made, or nobody has tried. */
  get obstacle(): string | undefined {
    return this.identity.knowsOwn ? this.surroundings.unreached : tooFewIds;
  }

  get url(): URL {
    return this.#options.exchange.url;
  }

  get rules(): Rules {
    return this.#options.description.rules;
  }

  /** A fact about the run that a person should know. */
  note(sentence: string): void {
    this.#options.recorder.note(sentence);
  }

  /** Records what is wrong with an answer by itself, outside of every probe. */
  judge({ id }: Operation, title: string, description: string, call: Call): void {
    const { recorder } = this.#options;
    recorder.case(id, title);
    recorder.find(id, title, description, call.pages ?? [call], ...call.breaches);
  }

  /**
   * @param id the id to send; undefined if the server chooses it
   * @param statuses the right ones; by default the documented successes
   * @param create a description of the create, of which there is one for each media type of the body
   */
  create(
    owner: Owner,
    id: Id | undefined,
    content: Content,
    statuses?: readonly number[],
    create: Operation = this.resource.create,
  ): Promise<Call> {
    const body = withId(this.resource, id, content);
    return this.call(owner, create, { path: this.pathOfNew(id), body }, statuses ?? successesOf(create));
  }

  /**
   * Calls an operation on one item. Its conditions, such as `If-Match`, hold for the item as it is now.
   *
   * @param statuses the right ones; by default the documented successes
   * @param values further parameters and the body; by default the plainest
   */
  async item(
    owner: Owner,
    operation: Operation,
    id: Id,
    statuses?: readonly number[],
    values: Partial<RequestValues> = {},
  ): Promise<Call> {
    const path = { ...this.pathTo(id, owner), ...values.path };
    const headers = values.headers ?? (await this.conditionsFor(owner, operation, id));
    return this.call(owner, operation, { ...values, path, headers }, statuses ?? successesOf(operation));
  }

  /** The headers under which an operation works on an item as its owner sees it now (conditions.ts). */
  async conditionsFor(owner: Owner, operation: Operation, id: Id): Promise<RequestValues['headers']> {
    const atPath = this.#options.description.operations.find(
      ({ method, path }) => method === 'GET' && path === operation.path,
    );
    // RFC 9110, section 13.1.1: the tag is that of what is at the same URL, if it has one.
    const get = atPath ?? this.resource.get;
    const { headers } = plainRequest(operation);
    if (get === undefined || get === operation || conditionsOf(operation).length === 0) return headers;
    const path = this.pathTo(id, owner);
    const shown = await this.call(owner, get, { path }, successesOrAbsencesOf(get));
    return { ...headers, ...conditionHeaders(operation, shown.outcome) };
  }

  pathTo(id: Id, owner: Owner = 'first'): Record<string, string> {
    return { ...this.surroundings.pathOf(owner), [this.resource.parameter.name]: String(id) };
  }

  /** The parameter by which the path of a create names what it makes; none if another place does. */
  pathOfNew(id: Id | undefined): Record<string, string> {
    const { id: place, parameter } = this.resource;
    return place.in === 'path' && id !== undefined ? { [parameter.name]: String(id) } : {};
  }

  /** Calls an operation. What `values` does not have is as in the plainest request. */
  async call(
    owner: Owner,
    operation: Operation,
    values: Partial<RequestValues>,
    statuses: readonly number[],
    /** Replaces path and query: a link leads there. */
    target?: string,
  ): Promise<Call> {
    const { accounts } = this.#options;
    const plain = plainRequest(operation);
    const path = { ...plain.path, ...this.surroundings.pathOf(owner), ...values.path };
    // A list may have required parameters besides those of its pages.
    const query = { ...plain.query, ...values.query };
    const body = values.body === undefined ? plain.body : wrapped(this.resource, operation, values.body);
    const request = requestFor(operation, { ...plain, ...values, path, query, body }, accounts[owner]);
    const linked = { ...request, ...(target !== undefined && { target }) };
    return ask(this.#options, operation, linked, accepted(operation, statuses));
  }

  /**
   * The plainest content with a marker, with or without its optional members.
   */
  plainContent(words: string, optional: 'with' | 'without' = 'without', owner: Owner = 'first'): Content {
    const { members } = this.resource;
    const { needed, unfit, values } = this.#plain;
    const isTaken = (name: string): boolean => !this.surroundings.choosy.has(name) && !unfit.has(name);
    const taken = members.filter(({ name }) => needed.has(name) || (optional === 'with' && isTaken(name)));
    const plain = shownByDefault(this.resource, { ...plainMembers(taken), ...values });
    const filled = this.surroundings.fill(owner, plain);
    return this.markers.put(filled, this.markers.fresh(), { words });
  }
}

/** What the plainest content of an item has. `if` may need members that are optional by themselves. */
interface PlainContent {
  readonly needed: ReadonlySet<string>;
  /** The optional members that do not go with the others, as under `else`. */
  readonly unfit: ReadonlySet<string>;
  /** The values that go together, if the plainest ones of the members alone do not. */
  readonly values: Content;
}

function plainContentOf(resource: Resource): PlainContent {
  const { create, members } = resource;
  const schema = create.body?.schema;
  const plainest = contentOf(members, within(resource, create, plainRequest(create).body));
  const required = members.filter((member) => member.required || plainest[member.name] !== undefined);
  const needed = new Set(required.map(({ name }) => name));
  const optional = members.filter(({ name }) => !needed.has(name));
  const faultsOf = (content: Content): number =>
    schema === undefined ? 0 : violationsOf(schema, wrapped(resource, create, content) ?? null).length;
  const alone = plainMembers(required);
  const values = faultsOf(alone) > faultsOf(plainest) ? plainest : {};
  const least = faultsOf({ ...alone, ...values });
  // Members may need each other, so all of them are there at first.
  const unfit = new Set<string>();
  const without = (name?: string): Content => {
    const kept = optional.filter((member) => member.name !== name && !unfit.has(member.name));
    return { ...plainMembers([...required, ...kept]), ...values };
  };
  for (let faults = faultsOf(without()); faults > least; faults = faultsOf(without())) {
    const wrong = optional.find(({ name }) => !unfit.has(name) && faultsOf(without(name)) < faults);
    for (const { name } of wrong === undefined ? optional : [wrong]) unfit.add(name);
    if (wrong === undefined) break;
  }
  return { needed, unfit, values };
}
