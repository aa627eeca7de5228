/** Finds the places in a value that a schema describes, each with all schemas that hold there. */
import { pathOf, pointerTo } from '../../../exact-json/index.js';
import type { Node } from '../document/node.js';
import { isArray, isObject, memberOf, type Value, type ValueObject } from './json.js';
import { allLayersOf, goesOtherWay, itemSchemas } from './layers.js';

export interface Site {
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly layers: readonly Node[];
  readonly required: boolean;
}

/** The number of levels to which a schema is followed, because it can contain itself. */
export const deepest = 6;

/**
 * Lists the places of values of all the schemas: the whole value, its members, and the first item of each
 * array.
 */
export function sitesOf(schemas: readonly Node[], pointer = '', required = true, depth = 0): Site[] {
  const layers = allLayersOf(schemas);
  const site = { pointer, layers, required };
  if (depth === deepest) return [site];
  const items = itemSchemas(layers, 0);
  return [
    site,
    ...membersOf(layers).flatMap(({ name, schemas: below, required: needed }) =>
      sitesOf(below, pointerTo(pointer, name), required && needed, depth + 1),
    ),
    ...(items.length > 0 ? sitesOf(items, `${pointer}/0`, false, depth + 1) : []),
  ];
}

export interface Member {
  readonly name: string;
  readonly schemas: readonly Node[];
  readonly required: boolean;
}

/** Lists the members that the schemas name, without those that go the other way (`readOnly`, `writeOnly`). */
export function membersOf(layers: readonly Node[]): Member[] {
  const names = new Set(
    layers.flatMap((layer) => (layer.at('properties')?.members() ?? []).map(([name]) => name)),
  );
  const required = new Set(layers.flatMap((layer) => layer.list('required')).map(({ value }) => value));
  return [...names]
    .filter((name) => !goesOtherWay(layers, name))
    .map((name) => ({
      name,
      schemas: layers.flatMap((layer) => layer.at('properties', name) ?? []),
      required: required.has(name),
    }));
}

/** Whether a member is called as those are that refer to something else, which no text and no value made up here would be. */
export function isLikeReference({ name }: Member): boolean {
  return /(?:^|[_-])(?:id|uuid|key|ref|code)$|(?:Id|Uuid|Key|Ref|Code)$/.test(name);
}

export function valueAt(value: Value | undefined, pointer: string): Value | undefined {
  return pathOf(pointer).reduce<Value | undefined>((part, key) => {
    if (isArray(part)) return part[Number(key)];
    return memberOf(part, key);
  }, value);
}

/** Returns the value with another part at `pointer`, or without that member if the part is undefined. */
export function withPart(value: Value, pointer: string, part: Value | undefined): Value {
  return replaced(value, pathOf(pointer), part) ?? null;
}

function replaced(
  value: Value,
  [key, ...rest]: readonly string[],
  part: Value | undefined,
): Value | undefined {
  if (key === undefined) return part;
  if (isArray(value)) {
    const items = [...value];
    items[Number(key)] = replaced(items[Number(key)] ?? null, rest, part) ?? null;
    return items;
  }
  const object: ValueObject = isObject(value) ? value : {};
  const member = replaced(object[key] ?? {}, rest, part);
  const others = Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
  return member === undefined ? others : { ...others, [key]: member };
}
