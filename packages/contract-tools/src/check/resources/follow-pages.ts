/**
 * Follows the pages of a list to its end.
 *
 * It asks for the first page, finds out from its answer where the next one begins (next-page.ts), and asks for
 * that, until an answer names no next page. A server whose pages turn in a circle would be followed without
 * end: the same request for a second time, or the same body twice in a row, is a breach. A list of others may
 * have more pages than anybody wants to read, so after `maxPages` the list is not whole, which is not a
 * fault.
 */

import type { Operation } from '../../document/operations.js';
import { succeeded, successesOf } from '../../document/statuses.js';
import { firstPageOf, type Paging, placeParameterOf, sizeBounds } from '../../resources/paging.js';
import { listOf } from '../../resources/shape.js';
import { memberOf, type Value, writeJson } from '../../values/json.js';
import type { Breach } from '../answers/findings.js';
import { breachOf } from '../answers/findings.js';
import { targetOf } from '../requests/followed.js';
import { bodyOf, Silence } from '../requests/reply.js';
import type { RequestValues } from '../requests/request-values.js';
import { type Text, writeText } from '../values/parameter-text.js';
import type { Call } from './call.js';
import type { ResourceClient } from './client.js';
import { type NextPage, nextPageOf } from './next-page.js';
import type { Owner } from './own-items.js';

const maxPages = 500;
/** Few requests for a long list, and no more than servers usually allow. */
const usualSize = 100;

interface Following {
  /** The size of a page to ask for; by default as much as is usual. `none` leaves it to the server. */
  readonly size?: number | 'none';
  /** The statuses that are right; by default the successes. */
  readonly statuses?: readonly number[];
  /** Values of parameters in the path, if not those of the owner. */
  readonly path?: RequestValues['path'];
  /** Further parameters of the query. A link to the next page must have them, too. */
  readonly query?: RequestValues['query'];
  /** The member that the query sorts the list by. */
  readonly sortedBy?: string;
  /** Is called after each page. */
  readonly afterPage?: (page: Call, number: number) => Promise<void>;
}

/**
 * @returns the first page's answer, with all pages and their breaches; `isWhole` says whether the last page
 *   was reached
 * @throws {HaltedError} if the run is over
 * @throws {UnreachableError} if nobody accepts connections
 */
export async function followPages(
  client: ResourceClient,
  owner: Owner,
  list: Operation,
  paging: Paging,
  following: Following = {},
): Promise<Call> {
  const { size = largestSize(paging), statuses = successesOf(list), path = {} } = following;
  const { query: further = {}, sortedBy, afterPage } = following;
  const pages: Call[] = [];
  const seen = new Set<string>();
  const asked: RequestValues['query'] = {
    ...further,
    ...(paging.size !== undefined && size !== 'none' && { [paging.size.name]: String(size) }),
  };
  let next: NextPage | undefined = { query: {} };
  let total = 0;
  let begin = 0;
  while (next !== undefined && pages.length < maxPages) {
    const key = JSON.stringify(next);
    if (seen.has(key)) return whole(pages, false, [circle(list, next)]);
    seen.add(key);
    const query: RequestValues['query'] = { ...asked, ...('query' in next ? next.query : {}) };
    const target =
      'target' in next ? targetOf(client.url, pages.at(-1)?.request.target ?? '/', next.target) : undefined;
    if ('target' in next && target === undefined) return whole(pages, false, [noUrl(list, next.target)]);
    const call: Call = await client.call(owner, list, { query, path }, statuses, target);
    const [first] = pages;
    if (
      pages.length === 1 &&
      first &&
      isPageOne(paging, next) &&
      itemsText(client, first) === itemsText(client, call)
    ) {
      pages.pop();
      begin = 1;
    }
    const repeated = pages.at(-1);
    pages.push(call);
    if (call.breaches.length > 0 || !succeeded(list, call) || call.outcome instanceof Silence) {
      return whole(pages, false);
    }
    const items = client.reader.itemsOf(call);
    total += items.length;
    if (repeated !== undefined && items.length > 0 && textOf(repeated) === textOf(call)) {
      return whole(pages, false, [circle(list, next)]);
    }
    await afterPage?.(call, pages.length);
    const last = items.at(-1);
    next = nextPageOf(paging, list, {
      ...{ answer: call.outcome, body: bodyOf(call.outcome), count: items.length, total },
      ...{ lastId: last?.id === undefined ? undefined : String(last.id), number: begin + pages.length - 1 },
      lastPlace: sortedBy === undefined ? {} : placeOf(list, paging, sortedBy, last?.value),
    });
  }
  return whole(pages, next === undefined);
}

/**
 * Reads a list. One that comes in pages is followed to its end.
 *
 * @param limit the most items to ask for, which counts only in an exact store
 */
export function readList(
  client: ResourceClient,
  owner: Owner,
  list: Operation,
  limit?: number,
): Promise<Call> {
  if (client.paging !== undefined) return followPages(client, owner, list, client.paging);
  const parameter = client.exactStore?.limit;
  const query =
    limit === undefined || parameter === undefined ? {} : { query: { [parameter.name]: String(limit) } };
  return client.call(owner, list, query, successesOf(list));
}

/** @returns the most items that a list shows, which may be cut; undefined if it shows all */
export function longestOf(list: Operation, { isWhole }: Call): number | undefined {
  if (isWhole === undefined) return listOf(list)?.longest;
  return isWhole ? undefined : 0;
}

function largestSize({ size }: Paging): number {
  if (size === undefined) return usualSize;
  const { least, most } = sizeBounds(size);
  return Math.max(
    least,
    size.schema.number('maximum') === undefined ? Math.min(most, usualSize) : Math.min(most, 1_000),
  );
}

/** The parameter that says where an item stands in a sorted list, besides its id; none if the list has none. */
function placeOf(
  list: Operation,
  paging: Paging,
  member: string,
  item: Value = null,
): Readonly<Record<string, Text>> {
  const parameter = placeParameterOf(list, paging, member);
  const text = writeText(memberOf(item, member) ?? null);
  return parameter === undefined || text === undefined ? {} : { [parameter.name]: text };
}

function whole(pages: readonly Call[], isWhole: boolean, breaches: readonly Breach[] = []): Call {
  // followPages has read at least one page.
  const [first] = pages as readonly [Call];
  return { ...first, pages, isWhole, breaches: [...pages.flatMap((page) => page.breaches), ...breaches] };
}

function circle(list: Operation, next: NextPage): Breach {
  const where = 'target' in next ? next.target : JSON.stringify(next.query);
  return {
    ...breachOf(list, 'the pages turn in a circle', `the next page is one that has come already: ${where}`),
    by: 'pages',
  };
}

function noUrl(list: Operation, link: string): Breach {
  return { ...breachOf(list, 'the link to the next page is no URL', link), by: 'pages' };
}

/**
 * If nothing says whether pages count from 0 or from 1, page 1 may be the first one, which came without a
 * number.
 */
function isPageOne({ page }: Paging, next: NextPage): boolean {
  if (page === undefined || firstPageOf(page) !== undefined) return false;
  return 'query' in next && next.query[page.name] === '1';
}

function itemsText(client: ResourceClient, call: Call): string {
  return writeJson(client.reader.itemsOf(call).map(({ value }) => value));
}

function textOf({ outcome }: Call): string {
  return outcome instanceof Silence ? '' : outcome.body.toString('latin1');
}
