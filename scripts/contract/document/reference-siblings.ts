import type { Path } from '../../../src/schema/json-pointer.js';
import { isReference, nodesOf } from './nodes.js';

/**
 * Takes away, in place, the members beside each `$ref`: they "SHALL be ignored" (OpenAPI 3.0.3, "Reference
 * Object"). SwaggerParser would merge them into what the reference leads to, and openapi-typescript would
 * not. `npm run lint:contract` names them.
 */
export function dropReferenceSiblings(document: object): void {
  for (const [path, node] of nodesOf(document)) {
    if (!isReference(node) || isPathItem(path)) continue;
    for (const name of Object.keys(node)) if (name !== '$ref') Reflect.deleteProperty(node, name);
  }
}

/**
 * @returns whether this is a Path Item, whose `$ref` may have members beside it: "the behavior is undefined"
 * for them
 */
function isPathItem(path: Path): boolean {
  return path.length === 2 && path[0] === 'paths';
}
