/** Compares the items of two arrays: those with a place of their own (`prefixItems`), and all others. */
import type { Node } from '../../document/node.js';
import { serviceOf } from './parts.js';
import type { Schemas, Shape } from './shape-types.js';
import type { SchemaChange, Walk } from './walk.js';

/** @param owner the place of the arrays, such as `plants` */
export function compareItems(base: Shape, next: Shape, walk: Walk, owner: string): SchemaChange[] {
  const count = Math.max(prefixLength(base.parts), prefixLength(next.parts));
  const places = Array.from({ length: count }, (_, index) => index);
  return [
    ...places.flatMap((index) =>
      walk.compare(itemsAt(base, index), itemsAt(next, index), `${owner}[${index}]`),
    ),
    ...walk.compare(itemsAt(base, count), itemsAt(next, count), `${owner}[]`),
  ];
}

function prefixLength(parts: Schemas): number {
  return Math.max(0, ...parts.map((part) => part.list('prefixItems').length));
}

/** Returns the schemas of the item at an index. Those of `items` hold for the items after the prefix. */
function itemsAt({ parts }: Shape, index: number): Schemas {
  return parts.flatMap((part) => [
    ...[part.at('prefixItems', index) ?? part.at('items')].flatMap((schema) => schema ?? []),
    ...unevaluatedAt(part, index),
  ]);
}

/** `unevaluatedItems` holds for the items for which the schema and its `allOf` have no other one. */
function unevaluatedAt(part: Node, index: number): Schemas {
  const schema = part.at('unevaluatedItems');
  if (schema === undefined) return [];
  const within = serviceOf([part]);
  const isEvaluated = within.some((one) => one.at('items') !== undefined) || index < prefixLength(within);
  return isEvaluated ? [] : [schema];
}
