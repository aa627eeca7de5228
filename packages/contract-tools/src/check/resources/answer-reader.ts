/** Reads the items of one collection from answers: their ids, their markers and their content. */

import { headerValues } from '../../base/http/answer.js';
import type { Operation } from '../../document/operations.js';
import { answerLayers, listOf, type Resource, shownLayers } from '../../resources/shape.js';
import { unwrap } from '../../resources/wrapper.js';
import { typeOf } from '../../values/bounds.js';
import { isArray, isObject, memberOf, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import type { Step } from '../answers/findings.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';
import type { Call } from './call.js';
import { type Content, contentOf, differenceBetween } from './content.js';
import type { Identity } from './identity.js';
import type { Id } from './ids.js';
import type { Markers } from './markers.js';

/** An item as an answer shows it. */
interface ShownItem {
  readonly id: Id | undefined;
  readonly marker: string | undefined;
  readonly value: Value;
}

interface ReaderOptions {
  readonly resource: Resource;
  readonly identity: Identity;
  readonly markers: Markers;
  /** Whether a member that was not sent must be absent, null or its default. */
  readonly judgesUnsent: boolean;
  /** Takes a fact that a person should know. */
  readonly note: (sentence: string) => void;
}

export class AnswerReader {
  readonly #options: ReaderOptions;
  readonly #listPlace: ReturnType<typeof listOf>;
  /** The members that the list shows of an item. */
  readonly #listed: readonly Member[];

  constructor(options: ReaderOptions) {
    const { list } = options.resource;
    this.#options = options;
    this.#listPlace = list && listOf(list);
    this.#listed = membersOf(this.#listPlace?.items ?? []);
  }

  /** The item that an answer shows. */
  shownBy(operation: Operation, reply: Reply): Value {
    return unwrap(answerLayers(operation), this.#options.resource.wrapper, bodyOf(reply));
  }

  /**
   * The id of an item that was created.
   *
   * @param sent the id that the create has sent, if the client chooses ids
   * @returns undefined if the answer does not tell it
   */
  idFrom(reply: Reply, sent: Id | undefined): Id | undefined {
    const { identity, resource } = this.#options;
    const { create, id } = resource;
    if (id.in === 'request' || id.in === 'path') return sent;
    if (id.in === 'answer') return identity.idIn(this.shownBy(create, reply), id.member);
    if (isSilence(reply)) return undefined;
    const [location = ''] = headerValues(reply, 'location');
    try {
      return identity.idOf(decodeURIComponent(lastSegmentOf(location)));
    } catch {
      // It is not percent-encoded UTF-8, so it is no id that a path could have.
      return undefined;
    }
  }

  /** The items that a list shows on all its pages; none if the answer is not the documented list. */
  itemsOf({ outcome, pages }: Pick<Step, 'outcome'> & Partial<Pick<Call, 'pages'>>): ShownItem[] {
    if (pages !== undefined) return pages.flatMap((page) => this.itemsOf(page));
    const { identity, markers } = this.#options;
    const member = this.#listPlace?.member;
    const body = bodyOf(outcome);
    const array = member === undefined ? body : memberOf(body, member);
    if (!isArray(array)) return [];
    return array.map((value) => ({
      id: identity.shownBy(value),
      marker: isObject(value) ? markers.of(value) : undefined,
      value,
    }));
  }

  /** Whether the items of a list can be told apart: by their ids, or by the markers in their texts. */
  get tellsItems(): boolean {
    return this.showsIds || this.#options.markers.carriers.some((name) => this.#lists(name, ['string']));
  }

  /** Whether the list shows the ids of its items. */
  get showsIds(): boolean {
    return this.#options.identity.names.some((name) => this.#lists(name, ['string', 'integer']));
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
    const { resource, judgesUnsent, note } = this.#options;
    const layers =
      operation === resource.list ? this.#listPlace?.items : shownLayers(operation, resource, status);
    const { member, uncompared } = differenceBetween(resource.members, layers ?? [], expected, answered, {
      judgesUnsent,
    });
    for (const place of uncompared) {
      note(
        `"${place}" of ${operation.id} was not compared with what was sent: the document shows it in another form than a request has it.`,
      );
    }
    return member;
  }

  contentOf(value: Value | undefined): Content {
    return contentOf(this.#options.resource.members, value);
  }
}

/** The last segment of the path in a Location, which may end in a slash. */
function lastSegmentOf(location: string): string {
  const end = location.search(/[?#]/);
  const path = end < 0 ? location : location.slice(0, end);
  const item = path.endsWith('/') ? path.slice(0, -1) : path;
  return item.slice(item.lastIndexOf('/') + 1);
}
