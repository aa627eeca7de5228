/**
 * Finds out how the pages of a list follow each other, by the names of parameters and members: no schema says
 * it. There are three ways. A cursor such as `after` takes a text that the last page has told, or the id of
 * its last item. An offset counts the items to leave out. A page parameter counts pages. The answer itself
 * comes first, if it says where the next page is: in a Link header, or in a member such as `nextCursor`.
 */

import type { Operation, Parameter } from '../document/operations.js';
import { integerBounds, typeOf } from '../values/bounds.js';
import { layersOf } from '../values/layers.js';

export interface Paging {
  /** The parameter that bounds the number of items of a page. */
  readonly size: Parameter | undefined;
  /** It takes a text or an id, behind which the next page begins. */
  readonly cursor: Parameter | undefined;
  /** It takes the number of items to leave out. */
  readonly offset: Parameter | undefined;
  /** It takes the number of a page. */
  readonly page: Parameter | undefined;
}

const sizeNames =
  /^\$?(?:limit|top|(?:page|batch)_?size|per_?page|count|size|max_?(?:results|items)|results_?per_?page)$/i;
const cursors =
  /^\$?(?:after|cursor|next|(?:page|next|next_?page|continuation|sync)_?(?:token|cursor)|starting_?after|start_?(?:key|cursor)|marker|continuation|skip_?token|since_?id|after_?id)$/i;
const offsetNames = /^\$?(?:offset|skip|start(?:_?(?:at|index))?)$/i;
const pageNames = /^page(?:_?(?:number|no|index))?$/i;
export const nextMembers =
  /^(?:next|after|cursor|continuation|(?:next|end|continuation)_?(?:page|cursor|token|after|marker|link|url|page_?token|key|offset)|page_?token|@odata\.nextlink)$/i;
export const moreMembers = /^(?:has_?(?:more|next|next_?page)|more|is_?truncated)$/i;

/** The parameter that bounds the number of items, also of a list that does not come in pages. */
export function sizeParameterOf({ parameters }: Operation): Parameter | undefined {
  return parameters.find(
    ({ in: place, name, schema }) =>
      place === 'query' && sizeNames.test(name) && typeOf(layersOf(schema)) === 'integer',
  );
}

/** Whether a parameter such as `after` is a time: it filters a list by what happened after it. */
function isTime({ schema }: Parameter): boolean {
  return layersOf(schema).some((layer) => /^(?:date|time)/.test(layer.text('format') ?? ''));
}

/** @returns undefined if nothing says that a list comes in pages */
export function pagingOf({ parameters, method }: Operation): Paging | undefined {
  if (method !== 'GET') return undefined;
  const inQuery = parameters.filter((parameter) => parameter.in === 'query' && !isTime(parameter));
  const named = (pattern: RegExp, ...types: string[]): Parameter | undefined =>
    inQuery.find(
      ({ name, schema }) => pattern.test(name) && types.includes(typeOf(layersOf(schema)) ?? 'string'),
    );
  const paging = {
    size: named(sizeNames, 'integer', 'number'),
    cursor: named(cursors, 'string', 'integer'),
    offset: named(offsetNames, 'integer', 'number'),
    page: named(pageNames, 'integer', 'number'),
  };
  const { cursor, offset, page } = paging;
  return (cursor ?? offset ?? page) ? paging : undefined;
}

/**
 * The parameter that takes the value of a member of the last item, if the list is sorted by that member: with
 * the cursor `after`, it is called `afterName` or `after_name`. Without it, a cursor would only hold an id.
 */
export function placeParameterOf(
  { parameters }: Operation,
  { cursor }: Paging,
  member: string,
): Parameter | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return parameters.find(
    ({ in: place, name }) => place === 'query' && cursor && plain(name) === plain(cursor.name + member),
  );
}

/** The sizes of pages that the document allows, in items; at most 10,000. */
export function sizeBounds({ schema }: Parameter): { readonly least: number; readonly most: number } {
  const { least, most } = integerBounds(layersOf(schema));
  return { least: Math.max(1, Number(least)), most: Math.min(Number(most), 10_000) };
}

/** The number of the first page; undefined if nothing says whether they count from 0 or from 1. */
export function firstPageOf({ schema }: Parameter): number | undefined {
  const least = Number(schema.number('minimum') ?? 0);
  const first = schema.number('default') ?? (least > 0 ? least : undefined);
  return first === undefined ? undefined : Number(first);
}
