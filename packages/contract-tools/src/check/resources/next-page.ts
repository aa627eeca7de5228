/** Reads from an answer where the next page of a list begins (../../resources/paging.ts says by which names). */

import { type Answer, headerValues } from '../../base/http/answer.js';
import { withoutKeys } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import { schemesOf } from '../../document/security.js';
import { firstPageOf, moreMembers, nextMembers, type Paging } from '../../resources/paging.js';
import { answerLayers } from '../../resources/shape.js';
import { isObject, membersNear, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { membersOf } from '../../values/sites.js';
import { bodyOf, isSilence, type Reply } from '../requests/reply.js';
import type { Text } from '../values/parameter-text.js';

/** The request for the next page: changed parameters, or a whole target. */
export type NextPage = { readonly query: Readonly<Record<string, Text>> } | { readonly target: string };

interface PageSeen {
  readonly answer: Answer;
  readonly body: Value;
  /** The number of items on the page, and on all pages up to this one. */
  readonly count: number;
  readonly total: number;
  /** The id of the last item, if the list shows ids. */
  readonly lastId: string | undefined;
  /** Parameters that say where the last item stands in a sorted list, besides its id. */
  readonly lastPlace: Readonly<Record<string, Text>>;
  /** The number of the page, counted from 0. */
  readonly number: number;
}

/** @returns the request for the page that follows the one seen; undefined after the last one */
export function nextPageOf(paging: Paging, list: Operation, seen: PageSeen): NextPage | undefined {
  const link = nextLinkOf(headerValues(seen.answer, 'link').join());
  if (link !== undefined) return { target: withoutKeys(link, schemesOf(list)) };
  if (documentsLink(list)) return undefined;
  const said = saidNext(seen.body);
  if (said !== undefined) {
    if (said.value === undefined) return undefined;
    if (/^(?:https?:|\/|\?)/.test(said.value)) return { target: withoutKeys(said.value, schemesOf(list)) };
    const carrier = paging.cursor ?? paging.page ?? paging.offset;
    return carrier && { query: { [carrier.name]: said.value } };
  }
  if (documentsNext(list)) return undefined;
  // Without a word about the next page, the list ends with a page that is empty.
  if (seen.count === 0) return undefined;
  if (paging.offset) return { query: { [paging.offset.name]: String(seen.total) } };
  if (paging.cursor)
    return seen.lastId === undefined
      ? undefined
      : { query: { [paging.cursor.name]: seen.lastId, ...seen.lastPlace } };
  if (paging.page === undefined) return undefined;
  return { query: { [paging.page.name]: String((firstPageOf(paging.page) ?? 0) + seen.number + 1) } };
}

/** Whether an answer itself says that a page follows. */
export function namesNextPage(reply: Reply): boolean {
  if (isSilence(reply)) return false;
  return (
    nextLinkOf(headerValues(reply, 'link').join()) !== undefined ||
    saidNext(bodyOf(reply))?.value !== undefined
  );
}

/** RFC 8288, section 3: the target of the link whose relation is "next". */
function nextLinkOf(links: string): string | undefined {
  for (let start = links.indexOf('<'); start >= 0; ) {
    const end = links.indexOf('>', start);
    if (end < 0) return undefined;
    const [parameters = ''] = outsideQuotes(links.slice(end + 1), ',');
    if (relationsIn(parameters).includes('next')) return links.slice(start + 1, end);
    start = links.indexOf('<', end + 1 + parameters.length);
  }
  return undefined;
}

/** The relation types of a link, in lower case: those of its first parameter "rel". */
function relationsIn(parameters: string): string[] {
  for (const parameter of outsideQuotes(parameters, ';')) {
    const [name = '', value = ''] = parameter.split('=', 2).map((part) => part.trim());
    if (name.toLowerCase() === 'rel') return value.replaceAll('"', '').toLowerCase().split(/\s+/);
  }
  return [];
}

/** Splits a text at a separator that does not stand in quotes, as far as the parts are asked for. */
function* outsideQuotes(text: string, separator: string): Generator<string> {
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    if (isQuoted || text[at] !== separator) continue;
    yield text.slice(begin, at);
    begin = at + 1;
  }
  yield text.slice(begin);
}

function documentsLink({ responses }: Operation): boolean {
  return [...responses].some(
    ([status, { headers }]) => status < 300 && headers.some(({ name }) => name.toLowerCase() === 'link'),
  );
}

/** Whether the document has a place in the body that says where the next page begins: the last page may leave it out. */
function documentsNext(list: Operation): boolean {
  const members = membersOf(answerLayers(list));
  const within = members.flatMap(({ schemas }) => membersOf(schemas.flatMap(layersOf)));
  return [...members, ...within].some(({ name }) => nextMembers.test(name));
}

/** Finds what the body says about the next page, in the envelope or in an object within. */
function saidNext(body: Value): { readonly value: string | undefined } | undefined {
  const members = membersNear(body);
  const next = members.find(([name, value]) => nextMembers.test(name) && !isObject(value));
  const more = members.find(([name]) => moreMembers.test(name))?.[1];
  if (more === false) return { value: undefined };
  if (next === undefined) return undefined;
  const [, value] = next;
  const isText = typeof value === 'string' || typeof value === 'bigint';
  return { value: isText && value !== '' ? String(value) : undefined };
}
