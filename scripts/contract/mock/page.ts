/**
 * Cuts a list into pages, by the parameters and members that the checker follows
 * (../resources/paging.ts).
 */

import type { Node } from '../document/node.js';
import type { Operation } from '../document/operations.js';
import { isLength, isPageCount } from '../resources/lengths.js';
import {
  moreMembers,
  nextMembers,
  offsetNames,
  pageNames,
  pagingOf,
  sizeNames,
  sizeParameterOf,
} from '../resources/paging.js';
import { answerLayers, listOf } from '../resources/shape.js';
import { typeOf } from '../values/bounds.js';
import { layersOf, namesNull } from '../values/layers.js';
import { membersOf } from '../values/sites.js';
import { sampleFor } from './samples.js';

interface Page<Item> {
  readonly shown: readonly Item[];
  /** The members beside the items. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** The number of items on all pages. */
  readonly total: number;
  /** The query of the next page; undefined on the last one. */
  readonly link: string | undefined;
}

/** The number of items of a page if nobody asks for another. */
const usualSize = 20;

/**
 * @param known the items in their order, with those that were removed: a cursor may name one of these
 * @param removed those that are not shown
 * @param query the values of the request's query parameters
 * @param idOf returns an id as a cursor has it
 * @param place the URL of the list without its query
 */
export function pageOf<Item>(
  list: Operation,
  known: readonly Item[],
  removed: ReadonlySet<Item>,
  query: Readonly<Record<string, unknown>>,
  idOf: (item: Item) => string,
  place: string,
): Page<Item> {
  const paging = pagingOf(list);
  const isThere = (item: Item): boolean => !removed.has(item);
  const all = known.filter(isThere);
  const size = sizeParameterOf(list);
  const asked = size && (query[size.name] ?? size.schema.number('default'));
  const most = Number(asked ?? (paging === undefined ? all.length : usualSize));
  const start = paging === undefined ? 0 : startOf(paging, known, isThere, query, most, idOf);
  const shown = all.slice(start, start + most);
  const last = shown.at(-1);
  const isLast = start + most >= all.length || last === undefined;
  const { cursor, offset, page } = paging ?? {};
  const carrier = cursor ?? offset ?? page;
  const next = isLast ? undefined : cursor ? idOf(last) : nextNumber(paging, query, start, most);
  const changed = carrier && next !== undefined ? { ...query, [carrier.name]: next } : undefined;
  const link = changed && queryOf(list, changed);
  return {
    shown,
    envelope: filled(answerLayers(list), {
      next,
      link: link && `${place}?${link}`,
      total: all.length,
      size: most,
      offset: start,
      page: most > 0 ? Math.floor(start / most) + (page === undefined ? 1 : firstPage(page.schema)) : 1,
      except: listOf(list)?.member,
    }),
    total: all.length,
    link,
  };
}

/** Writes the values of query parameters; each item of an array repeats the name, if the document says so. */
function queryOf({ parameters }: Operation, values: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (!Array.isArray(value)) return value === undefined ? [] : [[name, String(value)]];
    const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
    return parameter?.exploded === false
      ? [[name, value.join(',')]]
      : value.map((item) => [name, String(item)]);
  });
  return String(new URLSearchParams(texts));
}

type Paging = NonNullable<ReturnType<typeof pagingOf>>;

function startOf<Item>(
  { cursor, offset, page }: Paging,
  known: readonly Item[],
  isThere: (item: Item) => boolean,
  query: Readonly<Record<string, unknown>>,
  size: number,
  idOf: (item: Item) => string,
): number {
  if (cursor !== undefined && query[cursor.name] !== undefined) {
    const after = String(query[cursor.name]);
    const found = known.findIndex((item) => idOf(item) === after);
    if (found >= 0) return known.slice(0, found + 1).filter(isThere).length;
    // Nobody was shown this item; integers still have a place in the order.
    const all = known.filter(isThere);
    const isNumber = /^-?[0-9]+$/.test(after) && all.every((item) => /^-?[0-9]+$/.test(idOf(item)));
    const next = isNumber ? all.findIndex((item) => BigInt(idOf(item)) > BigInt(after)) : -1;
    return next < 0 ? all.length : next;
  }
  if (offset !== undefined) return Number(query[offset.name] ?? 0);
  if (page === undefined) return 0;
  return (Number(query[page.name] ?? firstPage(page.schema)) - firstPage(page.schema)) * size;
}

function nextNumber(
  paging: Paging | undefined,
  query: Readonly<Record<string, unknown>>,
  start: number,
  size: number,
): string | undefined {
  if (paging?.offset) return String(start + size);
  if (paging?.page === undefined) return undefined;
  return String(Number(query[paging.page.name] ?? firstPage(paging.page.schema)) + 1);
}

function firstPage(schema: Node): number {
  return Number(schema.number('default') ?? schema.number('minimum') ?? 1);
}

/** Names of members that have the URL of the next page, and not its cursor. */
const linkNames = /(?:link|url|uri)$/i;

interface Facts {
  readonly next: string | undefined;
  /** The URL of the next page. */
  readonly link: string | undefined;
  readonly total: number;
  /** The greatest number of items of a page. */
  readonly size: number;
  /** The number of items before the page. */
  readonly offset: number;
  readonly page: number;
  readonly except?: string | undefined;
}

/**
 * Makes the members of an envelope, such as `nextCursor`, `hasMore` and `total`, also in an object within.
 */
function filled(layers: readonly Node[], facts: Facts): Record<string, unknown> {
  const members = membersOf(layers).flatMap(({ name, schemas, required }) => {
    if (name === facts.except) return [];
    const own = schemas.flatMap(layersOf);
    const isText = typeOf(own) !== 'integer';
    if (nextMembers.test(name) && typeOf(own) !== 'object') {
      const end = own.some(namesNull) ? null : undefined;
      const isLink = own.some((layer) => /^ur[il]/.test(layer.text('format') ?? '')) || linkNames.test(name);
      const told = isLink && isText ? facts.link : facts.next;
      const next = told === undefined ? end : isText ? told : BigInt(told);
      return next === undefined ? [] : [[name, next] as const];
    }
    if (moreMembers.test(name)) return [[name, facts.next !== undefined] as const];
    const number = ['integer', 'number'].includes(typeOf(own) ?? '') ? numberFor(name, facts) : undefined;
    if (number !== undefined) return [[name, number] as const];
    if (typeOf(own) === 'object') return [[name, filled(own, { ...facts, except: undefined })] as const];
    return required ? [[name, sampleFor(schemas)] as const] : [];
  });
  return Object.fromEntries(members);
}

/** @returns undefined if the name means nothing of the page */
function numberFor(name: string, { total, size, offset, page }: Facts): number | undefined {
  if (isLength(name)) return total;
  if (isPageCount(name)) return Math.ceil(total / Math.max(1, size));
  if (sizeNames.test(name)) return size;
  if (offsetNames.test(name)) return offset;
  return pageNames.test(name) || /^current_?page$/i.test(name) ? page : undefined;
}
