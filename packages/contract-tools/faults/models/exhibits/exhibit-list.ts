/**
 * Lists exhibits: filters, the order, pages with a cursor in `Link` (RFC 8288), and the total in
 * `X-Total-Count`. The cursor is the number of the last exhibit of the page before, so that it holds while
 * exhibits come and go.
 */
import { Problem } from '../plain/problem.js';
import { integerParameter, parameter } from '../plain/request.js';
import type { Answered, Asked } from '../plain/server.js';
import { type Members, oneOf, text } from '../plain/values.js';
import { inventoryNumber, materials } from './exhibit-members.js';
import type { Store } from './store.js';

export function listExhibits(store: Store, { owner, query }: Asked): Answered {
  const fits = filterOf(store, query);
  const limit = integerParameter(query, 'limit', { least: 1, most: 100, otherwise: 25 });
  const after = cursorIn(query);
  const isOpen = store.has('another museum sees the exhibits');
  const own = isOpen ? store.exhibits.all() : [...store.exhibits.of(owner).values()];
  const ordered = store.has('exhibits come in the order in which they were added')
    ? own
    : own.toSorted((one, other) => compareTexts(numberOf(one), numberOf(other)));
  const isOfPage = store.has('a filter is applied to the page, not to the whole');
  const fitting = isOfPage ? ordered : ordered.filter(fits);
  const start = startAfter(fitting, after, store);
  const size = store.has('the limit of exhibits is ignored') ? 100 : limit;
  const page = fitting.slice(start, start + size);
  const last = page.at(-1);
  const hasMore = start + size < fitting.length || store.has('the last page has a next one');
  const next = last !== undefined && hasMore ? { link: linkTo(numberOf(last), query, store) } : {};
  const total = store.has('the count is that of the page')
    ? page.length
    : store.has('the count is that of all museums')
      ? store.exhibits.all().filter(fits).length
      : own.filter(fits).length;
  const body = isOfPage ? page.filter(fits) : page;
  return { status: 200, headers: { ...next, 'x-total-count': String(total) }, body: body.map(shown) };
}

/** A removed exhibit that a fault leaves in the list has a mark, which nobody sees. */
function shown({ ...exhibit }: Record<string, unknown>): Members {
  delete exhibit['isRemoved'];
  return exhibit;
}

function numberOf(exhibit: Members): string {
  return String(exhibit['inventoryNumber']);
}

function filterOf(store: Store, query: URLSearchParams): (exhibit: Members) => boolean {
  const material = parameter(query, 'material', materials);
  const onDisplay = parameter(query, 'onDisplay', oneOf('true', 'false'));
  // Boolean('false') is true, which many have to find out.
  const isWanted = store.has('the filter by onDisplay takes false for true') ? true : onDisplay === 'true';
  return (exhibit) =>
    (material === undefined ||
      exhibit['material'] === material ||
      store.has('the filter by material is ignored')) &&
    (onDisplay === undefined || exhibit['onDisplay'] === isWanted);
}

/** @throws {Problem} with 400, if this server has not made the cursor */
function cursorIn(query: URLSearchParams): string | undefined {
  const cursor = parameter(query, 'cursor', text(0, 200));
  if (cursor === undefined) return undefined;
  const number = Buffer.from(cursor, 'base64url').toString();
  const isOurs = inventoryNumber(number) === undefined && cursorAfter(number) === cursor;
  if (!isOurs) throw new Problem(400, 'The parameter cursor is none that a Link had.');
  return number;
}

function cursorAfter(number: string): string {
  return Buffer.from(number).toString('base64url');
}

/** Returns the index of the first exhibit behind the cursor. */
function startAfter(fitting: readonly Members[], after: string | undefined, store: Store): number {
  if (after === undefined) return 0;
  const behind = store.has('exhibits come in the order in which they were added')
    ? fitting.findIndex((exhibit) => numberOf(exhibit) === after) + 1
    : fitting.findIndex((exhibit) => compareTexts(numberOf(exhibit), after) > 0);
  const start = behind < 0 ? fitting.length : behind;
  if (store.has('the cursor skips an exhibit')) return start + 1;
  return store.has('the cursor repeats an exhibit') ? start - 1 : start;
}

/** Writes the link to the page behind an exhibit, with the query of this page. */
function linkTo(last: string, query: URLSearchParams, store: Store): string {
  const next = new URLSearchParams(query);
  next.set('cursor', cursorAfter(last));
  if (store.has('the next page forgets the filter'))
    for (const name of ['material', 'onDisplay']) next.delete(name);
  if (store.has('the next page forgets the limit')) next.delete('limit');
  const target = `/exhibits?${next}`;
  const rel = store.has('Link calls the next page "following"') ? 'following' : 'next';
  return store.has('Link has no angle brackets') ? `${target}; rel="${rel}"` : `<${target}>; rel="${rel}"`;
}

/** The characters of a number are ASCII, so that the order of UTF-16 is that of code points. */
function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
