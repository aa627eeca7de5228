/** Filters of a list that have a default: the list leaves items out that nobody asked it to leave out. */

import type { Operation } from '../../document/operations.js';
import { type Filter, listParametersOf } from '../../resources/list-parameters.js';
import type { Resource } from '../../resources/shape.js';
import type { Value } from '../../values/json.js';
import { fits } from '../../values/valid-values.js';
import { defaultOf } from '../values/full-value.js';
import type { Content } from './content.js';
import { fitOf } from './filter-fit.js';

export interface DefaultFilter {
  readonly filter: Filter;
  /** What counts as sent if nobody sends the parameter. */
  readonly usual: Value;
}

/**
 * Whether the list may leave an item out because of a filter that has a default: `status` of a list of posts is
 * `public` unless somebody asks for drafts.
 */
export function mayBeHidden({ list, members }: Resource, content: Content): boolean {
  return defaultFilters(list).some(({ filter, usual }) => {
    const { name } = filter.member;
    const member = members.find((one) => one.name === name);
    // What no create takes is the server's, which shows a new item.
    if (member === undefined) return false;
    const given = Object.hasOwn(content, name) ? content[name] : defaultOf(member.schemas);
    return given === undefined || fitOf(filter, { [name]: given }, usual) !== 'in';
  });
}

/** Gives an item the values that a list shows without being asked for them. */
export function shownByDefault({ list, members }: Resource, content: Content): Content {
  const shown = defaultFilters(list).flatMap(({ filter: { comparison, key, member }, usual }) => {
    const [value = null] = [usual].flat();
    const isTaken = members.some((one) => one.name === member.name && fits(one.schemas, value));
    return isTaken && comparison === 'is' && key === undefined ? [[member.name, value] as const] : [];
  });
  return { ...content, ...Object.fromEntries(shown) };
}

function defaultFilters(list: Operation | undefined): DefaultFilter[] {
  return list === undefined ? [] : defaultsOf(listParametersOf(list).filters);
}

export function defaultsOf(filters: readonly Filter[]): DefaultFilter[] {
  return filters.flatMap((filter) => {
    const usual = defaultOf([filter.parameter.schema]);
    if (usual === undefined || usual === null) return [];
    const values = [usual].flat();
    // A default such as "all", which no item has, leaves nothing out, and neither does an empty list.
    const isOfItems = filter.kind !== 'enum' || values.every((value) => filter.choices.includes(value));
    return values.length > 0 && isOfItems ? [{ filter, usual }] : [];
  });
}
