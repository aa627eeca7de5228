/**
 * Calls a resource's operations with valid requests, and reads items from their answers. Everything that
 * knows how one collection works is here: how its ids and marks are chosen, where its list has the items, how
 * its bodies are wrapped, and which of its items are the checker's own. All methods that call an operation
 * reject as `ask` does (../verdict/attempt.ts): with a HaltedError if the run is over, and with an
 * UnreachableError if nobody accepts connections.
 */

import type { Credential } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { type Answer, headerValues } from '../../kit/http/answer.js';
import { type Paging, pagingOf } from '../../resources/paging.js';
import {
  absencesOf,
  answerLayers,
  listOf,
  type Resource,
  shownLayers,
  successesOf,
} from '../../resources/shape.js';
import { unwrap, wrapperOfRequest } from '../../resources/wrapper.js';
import { typeOf } from '../../values/bounds.js';
import { isArray, isObject, printable, readJson, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import { plainValue } from '../../values/valid-values.js';
import { ask, type JudgedStep } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import type { Breach, Recorder, Step } from '../answers/findings.js';
import type { Description } from '../document/description.js';
import type { Rules } from '../document/rules.js';
import { type Exchange, type Reply, Silence } from '../requests/exchange.js';
import { plainRequest } from '../requests/plain-request.js';
import { type RequestValues, requestFor } from '../requests/request.js';
import { readText } from '../values/parameter-text.js';
import { type Content, contentOf, differenceBetween } from './content.js';
import type { ExactStore } from './exact-store.js';
import { followPages } from './follow-pages.js';
import { edgesOf, type Id, type Ids, idsFor } from './ids.js';
import { Marks } from './marks.js';
import { type Owner, OwnItems } from './own-items.js';
import { Surroundings } from './surroundings.js';

export interface ClientOptions {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly recorder: Recorder;
  readonly tokens: Readonly<Record<Owner, Credential | undefined>>;
}

/** A call of an operation; a list that comes in pages has all of them. */
export interface Call extends JudgedStep {
  /** The pages of a list, in their order, and whether the last of them was reached. */
  readonly pages?: readonly Call[];
  readonly isWhole?: boolean;
}

/** An item as an answer shows it. */
interface ShownItem {
  readonly id: Id | undefined;
  readonly mark: string | undefined;
  readonly value: Value;
}

/** This is why nothing of a resource is tried if `knowsOwn` is false. */
export const tooFewIds = 'there are so few ids that any may be somebody else’s';

export class ResourceClient {
  readonly resource: Resource;
  /** What it must keep beyond the document's shape; undefined if nothing promises that. */
  readonly exactStore: ExactStore | undefined;
  readonly marks: Marks;
  readonly own: OwnItems;
  readonly surroundings: Surroundings;
  /** The ids that are free; undefined if the server chooses ids, or if any of the few may be somebody's. */
  readonly ids: Ids | undefined;
  /** How the pages of the list follow each other; undefined if it has none. */
  readonly paging: Paging | undefined;
  /** The least and the greatest ids; others may have items there. */
  readonly edges: readonly Id[];
  readonly #options: ClientOptions;
  /** The names of the id's member in answers that show it. */
  readonly #idNames: readonly string[];
  readonly #listPlace: ReturnType<typeof listOf>;
  /** The members that the list shows of an item. */
  readonly #listed: readonly Member[];

  constructor(resource: Resource, options: ClientOptions, exactStore?: ExactStore) {
    this.resource = resource;
    this.exactStore = exactStore;
    this.surroundings = new Surroundings(resource);
    this.paging = resource.list && pagingOf(resource.list);
    this.#options = options;
    this.ids = resource.id.in === 'request' ? idsFor(resource.parameter.schema) : undefined;
    this.marks = new Marks(resource.members);
    this.own = new OwnItems(this.marks);
    const { id, parameter } = resource;
    this.edges = edgesOf(parameter.schema);
    this.#idNames = id.in === 'location' ? [parameter.name, 'id'] : [id.member];
    this.#listPlace = resource.list && listOf(resource.list);
    this.#listed = membersOf(this.#listPlace?.items ?? []);
  }

  /** Whether the checker can make items of its own and recognize them. */
  get knowsOwn(): boolean {
    return this.resource.id.in !== 'request' || this.ids !== undefined;
  }

  /**
   * @param id the id to send; undefined if the server chooses it
   * @param statuses the right ones; by default the documented successes
   */
  create(owner: Owner, id: Id | undefined, content: Content, statuses?: readonly number[]): Promise<Call> {
    const { create } = this.resource;
    return this.call(owner, create, { body: this.bodyOf(id, content) }, statuses ?? successesOf(create));
  }

  get url(): URL {
    return this.#options.exchange.url;
  }

  /** A fact about the run that a person should know. */
  note(sentence: string): void {
    this.#options.recorder.note(sentence);
  }

  get rules(): Rules {
    return this.#options.description.rules;
  }

  /** The content of a create's body, with the id if the client chooses it. */
  bodyOf(id: Id | undefined, content: Content): Content {
    const place = this.resource.id;
    return place.in === 'request' && id !== undefined ? { [place.member]: id, ...content } : content;
  }

  /** Returns the body of a request that describes an item by this content. */
  wrapped(operation: Operation, content: RequestValues['body']): RequestValues['body'] {
    const wrapper = wrapperOfRequest(operation, this.resource.wrapper);
    if (wrapper === undefined || content === undefined) return content;
    const beside = plainRequest(operation).body;
    return { ...(isObject(beside) && beside), [wrapper]: content };
  }

  /** Returns the part of a request's body that describes the item. */
  within(operation: Operation, body: RequestValues['body']): RequestValues['body'] {
    const wrapper = wrapperOfRequest(operation, this.resource.wrapper);
    return wrapper === undefined || !isObject(body) ? body : body[wrapper];
  }

  /** The item that an answer shows. */
  shownBy(operation: Operation, outcome: Reply): Value {
    return unwrap(answerLayers(operation), this.resource.wrapper, bodyOf(outcome));
  }

  /**
   * Calls an operation on one item.
   *
   * @param statuses the right ones; by default the documented successes
   * @param values further parameters and the body; by default the plainest
   */
  item(
    owner: Owner,
    operation: Operation,
    id: Id,
    statuses?: readonly number[],
    values: Partial<RequestValues> = {},
  ): Promise<Call> {
    return this.call(
      owner,
      operation,
      { ...values, path: { ...this.pathTo(id, owner), ...values.path } },
      statuses ?? successesOf(operation),
    );
  }

  pathTo(id: Id, owner: Owner = 'first'): Record<string, string> {
    return { ...this.surroundings.pathOf(owner), [this.resource.parameter.name]: String(id) };
  }

  /**
   * Reads a list. One that comes in pages is followed to its end.
   *
   * @param limit the most items to ask for, which counts only in an exact store
   */
  list(owner: Owner, list: Operation, limit?: number): Promise<Call> {
    if (this.paging !== undefined) return followPages(this, owner, list, this.paging);
    const parameter = this.exactStore?.limit;
    const query =
      limit === undefined || parameter === undefined ? {} : { query: { [parameter.name]: String(limit) } };
    return this.call(owner, list, query, successesOf(list));
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
    const { tokens } = this.#options;
    const plain = plainRequest(operation);
    const path = { ...plain.path, ...this.surroundings.pathOf(owner), ...values.path };
    // A list may have required parameters besides those of its pages.
    const query = { ...plain.query, ...values.query };
    const body = values.body === undefined ? plain.body : this.wrapped(operation, values.body);
    const request = requestFor(operation, { ...plain, ...values, path, query, body }, tokens[owner]);
    const linked = { ...request, ...(target !== undefined && { target }) };
    return ask(this.#options, operation, linked, accepted(operation, statuses));
  }

  /**
   * The id of an item that was created.
   *
   * @param sent the id that the create has sent, if the client chooses ids
   * @returns undefined if the answer does not tell it
   */
  idFrom(answer: Reply, sent: Id | undefined): Id | undefined {
    const { id } = this.resource;
    if (id.in === 'request') return sent;
    if (id.in === 'answer') return this.#idIn(this.shownBy(this.resource.create, answer), id.member);
    if (answer instanceof Silence) return undefined;
    const [location = ''] = headerValues(answer, 'location');
    const [, last = ''] = /([^/?#]+)\/?(?:[?#].*)?$/.exec(location) ?? [];
    try {
      return this.idOf(decodeURIComponent(last));
    } catch {
      // It is not percent-encoded UTF-8, so it is no id that a path could have.
      return undefined;
    }
  }

  /** The id that a text in the path means. */
  idOf(text: string): Id | undefined {
    const value = readText(this.resource.parameter.schema, text);
    return text !== '' && (typeof value === 'bigint' || typeof value === 'string') ? value : undefined;
  }

  /** The id in an answer, which may show the integer of the path as a text, and the other way round. */
  #idIn(value: Value | undefined, member: string): Id | undefined {
    const id = isObject(value) ? value[member] : undefined;
    return typeof id === 'bigint' || typeof id === 'string' ? this.idOf(String(id)) : undefined;
  }

  /** The items that a list shows on all its pages; none if the answer is not the documented list. */
  itemsOf({ outcome, pages }: Pick<Step, 'outcome'> & Partial<Pick<Call, 'pages'>>): ShownItem[] {
    if (pages !== undefined) return pages.flatMap((page) => this.itemsOf(page));
    const member = this.#listPlace?.member;
    const body = bodyOf(outcome);
    const array = member === undefined ? body : isObject(body) ? body[member] : undefined;
    if (!isArray(array)) return [];
    return array.map((value) => ({
      id: this.#idNames.map((name) => this.#idIn(value, name)).find((found) => found !== undefined),
      mark: isObject(value) ? this.marks.of(value) : undefined,
      value,
    }));
  }

  /** Whether the items of a list can be told apart: by their ids, or by the marks in their texts. */
  get tellsItems(): boolean {
    return this.showsIds || this.marks.carriers.some((name) => this.#lists(name, ['string']));
  }

  /** Whether the list shows the ids of its items. */
  get showsIds(): boolean {
    return this.#idNames.some((name) => this.#lists(name, ['string', 'integer']));
  }

  /** Whether the list shows a member of an item, and as a value of one of these types. */
  #lists(name: string, types: readonly string[]): boolean {
    const member = this.#listed.find((listed) => listed.name === name);
    return member !== undefined && types.includes(typeOf(member.schemas.flatMap(layersOf)) ?? '');
  }

  /**
   * Compares the answer of an operation, or one item of a list, with the content that it must show. A note
   * names what the document lets it show otherwise.
   *
   * @param status of the answer, whose schema counts; by default those of all successes
   * @returns the first wrong member; undefined if there is none
   */
  difference(
    operation: Operation,
    expected: Content,
    answered: Value | undefined,
    status?: number,
  ): string | undefined {
    const layers =
      operation === this.resource.list
        ? this.#listPlace?.items
        : shownLayers(operation, this.resource, status);
    const { member, uncompared } = differenceBetween(
      this.resource.members,
      layers ?? [],
      expected,
      answered,
      { judgesUnsent: this.rules.on.has('unsent-members') },
    );
    for (const place of uncompared) {
      this.note(
        `"${place}" of ${operation.id} was not compared with what was sent: the document shows it in another form than a request has it.`,
      );
    }
    return member;
  }

  contentOf(value: Value | undefined): Content {
    return contentOf(this.resource.members, value);
  }

  /** The plainest content with a mark, with or without its optional members. */
  plainContent(words: string, optional: 'with' | 'without' = 'without', owner: Owner = 'first'): Content {
    const plain = this.resource.members
      .filter(
        ({ name, required }) => required || (optional === 'with' && !this.surroundings.choosy.has(name)),
      )
      .map(({ name, schemas }) => [name, plainValue(schemas)] as const);
    const filled = this.surroundings.fill(owner, Object.fromEntries(plain));
    return this.marks.put(filled, this.marks.fresh(), { words });
  }

  /** Whether an answer says that there is no such item. */
  isAbsent(operation: Operation, { status }: Call): boolean {
    return status !== undefined && absencesOf(operation).includes(status);
  }
}

/** @returns the body as JSON; null if there is no answer, or if its body is not JSON */
export function bodyOf(outcome: Reply): Value {
  if (outcome instanceof Silence) return null;
  try {
    return readJson(outcome.body);
  } catch {
    // The comparison with the document has already reported a body that is not JSON.
    return null;
  }
}

/** Whether an answer, or the answer of a call, is a success. */
export function succeeded(operation: Operation, { status }: Pick<Answer, 'status'> | Call): boolean {
  return status !== undefined && successesOf(operation).includes(status);
}

/**
 * Makes a breach from the document's sentence about an operation, and what the server did instead.
 *
 * @param rule a few words that equal breaches share
 */
export function breachOf({ id, node }: Operation, rule: string, did: string): Breach {
  const path = node.at('description')?.path ?? node.path;
  const text = node.text('description') ?? node.text('summary') ?? id;
  return { rule, says: printable(text.replace(/\s+/g, ' ').trim()), path, did, operation: id };
}
