/** Filters of a list that have a default: the list leaves items out that nobody asked it to leave out. */

import type { Operation } from '../../document/operations.js';
import { listParametersOf } from '../../resources/list-parameters.js';
import type { Resource } from '../../resources/shape.js';
import { fromYaml, sameValue, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { fits } from '../../values/valid-values.js';
import type { Content } from './content.js';

/**
 * Whether the list may leave an item out because of a filter that has a default: `status` of a list of posts is
 * `public` unless somebody asks for drafts.
 */
export function mayBeHidden({ list, members }: Resource, content: Content): boolean {
  return defaultFilters(list).some(({ name, value }) => {
    const member = members.find((one) => one.name === name);
    // What no create takes is the server's, which shows a new item.
    if (member === undefined) return false;
    const [usual] = member.schemas.flatMap(layersOf).flatMap((layer) => layer.at('default') ?? []);
    const given = Object.hasOwn(content, name) ? content[name] : usual && fromYaml(usual.value);
    return given === undefined || !sameValue(given, value);
  });
}

/** Gives an item the values that a list shows without being asked for them. */
export function shownByDefault({ list, members }: Resource, content: Content): Content {
  const shown = defaultFilters(list)
    .filter(({ name, value }) => members.some((one) => one.name === name && fits(one.schemas, value)))
    .map(({ name, value }) => [name, value] as const);
  return { ...content, ...Object.fromEntries(shown) };
}

function defaultFilters(list: Operation | undefined): { readonly name: string; readonly value: Value }[] {
  if (list === undefined) return [];
  return listParametersOf(list).filters.flatMap(({ member: { name }, parameter }) => {
    const value = parameter.schema.at('default')?.value;
    return value === undefined || value === null ? [] : [{ name, value: fromYaml(value) }];
  });
}
