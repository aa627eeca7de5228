/** Compares the items of two arrays: those with a place of their own (`prefixItems`), and all others. */
import type { Schemas, Shape } from './shape-types.js';
import type { SchemaChange, Walk } from './walk.js';

/** @param owner the place of the arrays, such as `plants` */
export function compareItems(base: Shape, next: Shape, walk: Walk, owner: string): SchemaChange[] {
  const count = Math.max(prefixLength(base), prefixLength(next));
  const places = Array.from({ length: count }, (_, index) => index);
  return [
    ...places.flatMap((index) =>
      walk.compare(itemsAt(base, index), itemsAt(next, index), `${owner}[${index}]`),
    ),
    ...walk.compare(itemsAt(base, count), itemsAt(next, count), `${owner}[]`),
  ];
}

function prefixLength({ parts }: Shape): number {
  return Math.max(0, ...parts.map((part) => part.list('prefixItems').length));
}

/** Returns the schemas of the item at an index. Those of `items` hold for the items after the prefix. */
function itemsAt({ parts }: Shape, index: number): Schemas {
  return parts.flatMap((part) => part.at('prefixItems', index) ?? part.at('items') ?? []);
}
