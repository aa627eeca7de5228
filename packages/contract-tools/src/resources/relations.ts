/**
 * Finds the members and path parameters that refer to items of another resource, by their names alone:
 * `garden`, `gardenId` and `garden_ids` refer to `/gardens`; so does the parameter in
 * `/gardens/{garden}/beds`.
 */

import type { Node } from '../document/node.js';
import { typeOf } from '../values/bounds.js';
import { layersOf } from '../values/layers.js';
import { parentNamesOf, type Resource } from './shape.js';

export interface Relation {
  /** A member of the create's body, or a parameter in the collection's path. */
  readonly name: string;
  readonly isParent: boolean;
  /** Whether the member is a list of references. */
  readonly isList: boolean;
  readonly target: Resource;
}

export function relationsOf(resource: Resource, all: readonly Resource[]): Relation[] {
  const others = all.filter((other) => other !== resource);
  const parents = parentNamesOf(resource).flatMap((name) => {
    const { collectionPath } = resource;
    const end = collectionPath.indexOf(`{${name}}`) + name.length + 2;
    const above = withoutNames(collectionPath.slice(0, end));
    const target = others.find(({ itemPath }) => withoutNames(itemPath) === above);
    return target === undefined ? [] : [{ name, isParent: true, isList: false, target }];
  });
  const members = resource.members.flatMap(({ name, schemas }) => {
    const layers = schemas.flatMap(layersOf);
    const items = layers.flatMap((layer) => layer.at('items') ?? []).flatMap(layersOf);
    const isList = items.length > 0;
    const target = others.find((other) => isNamed(name, other) && hasTypeOf(isList ? items : layers, other));
    return target === undefined ? [] : [{ name, isParent: false, isList, target }];
  });
  return [...parents, ...members];
}

/** Two paths of one document may name the same parameter otherwise. */
function withoutNames(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}');
}

function hasTypeOf(layers: readonly Node[], { parameter }: Resource): boolean {
  return typeOf(layers) === typeOf(layersOf(parameter.schema));
}

function isNamed(member: string, { itemPath, parameter }: Resource): boolean {
  const above = itemPath.split('/').at(-2) ?? '';
  const collection = above.includes('{') ? '' : above;
  const nouns = [
    singular(plain(collection)),
    ...(plain(parameter.name) === 'id' ? [] : [withoutId(parameter.name)]),
  ];
  return nouns.includes(singular(withoutId(member)));
}

function withoutId(name: string): string {
  return singular(plain(name).replace(/(?:ids?|uuids?|keys?|refs?)$/, '') || plain(name));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** English plurals, as far as names of collections have them. */
function singular(noun: string): string {
  if (/ies$/.test(noun)) return noun.replace(/ies$/, 'y');
  return /(?:s|x|ch|sh)es$/.test(noun) ? noun.replace(/es$/, '') : noun.replace(/s$/, '');
}
