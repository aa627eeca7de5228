/**
 * Cuts a list into pages, by the parameters and members that the checker follows
 * (../resources/paging.ts).
 */

import type { Node } from '../document/node.js';
import type { Operation } from '../document/operations.js';
import { moreMembers, nextMembers, pagingOf, sizeParameterOf } from '../resources/paging.js';
import { answerLayers, listOf } from '../resources/shape.js';
import { typeOf } from '../values/bounds.js';
import { layersOf, namesNull } from '../values/layers.js';
import { membersOf } from '../values/sites.js';
import { sampleFor } from './samples.js';

interface Page<Item> {
  readonly shown: readonly Item[];
  /** The members beside the items. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** The query of the next page; undefined on the last one. */
  readonly link: string | undefined;
}

/** The number of items of a page if nobody asks for another. */
const usualSize = 20;

/**
 * @param all the items in their order
 * @param query the values of the request's query parameters
 * @param idOf returns an id as a cursor has it
 * @param place the URL of the list without its query
 */
export function pageOf<Item>(
  list: Operation,
  all: readonly Item[],
  query: Readonly<Record<string, unknown>>,
  idOf: (item: Item) => string,
  place: string,
): Page<Item> {
  const paging = pagingOf(list);
  const size = sizeParameterOf(list);
  const asked = size && (query[size.name] ?? size.schema.number('default'));
  const most = Number(asked ?? (paging === undefined ? all.length : usualSize));
  const start = paging === undefined ? 0 : startOf(paging, all, query, most, idOf);
  const shown = all.slice(start, start + most);
  const last = shown.at(-1);
  const isLast = start + most >= all.length || last === undefined;
  const { cursor, offset, page } = paging ?? {};
  const carrier = cursor ?? offset ?? page;
  const next = isLast ? undefined : cursor ? idOf(last) : nextNumber(paging, query, start, most);
  const changed = carrier && next !== undefined ? { ...query, [carrier.name]: next } : undefined;
  const texts = Object.entries(changed ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  const link = changed && new URLSearchParams(texts);
  return {
    shown,
    envelope: filled(answerLayers(list), {
      next,
      link: link && `${place}?${link}`,
      total: all.length,
      except: listOf(list)?.member,
    }),
    link: link && String(link),
  };
}

type Paging = NonNullable<ReturnType<typeof pagingOf>>;

function startOf<Item>(
  { cursor, offset, page }: Paging,
  all: readonly Item[],
  query: Readonly<Record<string, unknown>>,
  size: number,
  idOf: (item: Item) => string,
): number {
  if (cursor !== undefined && query[cursor.name] !== undefined) {
    const after = String(query[cursor.name]);
    const found = all.findIndex((item) => idOf(item) === after);
    if (found >= 0) return found + 1;
    // The item may be gone meanwhile; integers still have a place in the order.
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
    if (!isText) return [[name, facts.total] as const];
    if (typeOf(own) === 'object') return [[name, filled(own, { ...facts, except: undefined })] as const];
    return required ? [[name, sampleFor(schemas)] as const] : [];
  });
  return Object.fromEntries(members);
}
