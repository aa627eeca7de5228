import type { Path } from './json-pointer.js';
import { endsInExample, endsInName } from './names.js';

/**
 * Takes away, in place, the members beside each `$ref`: they "SHALL be ignored" (OpenAPI 3.0.3, "Reference
 * Object"). SwaggerParser would merge them into what the reference leads to, and openapi-typescript would
 * not. `npm run lint:contract` names them.
 */
export function dropReferenceSiblings(node: unknown, path: Path = []): void {
  if (typeof node !== 'object' || node === null) return;
  if (isReference(node) && !isPathItem(path)) {
    for (const name of Object.keys(node)) if (name !== '$ref') Reflect.deleteProperty(node, name);
    return;
  }
  for (const [key, value] of Object.entries(node)) {
    const below = [...path, key];
    if (!isData(below)) dropReferenceSiblings(value, below);
  }
}

/**
 * Whether `$ref` would be an ordinary member here: in the value of an example, default or enum, or in an
 * extension.
 */
function isData(path: Path): boolean {
  const isNamedExample = path.at(-3) === 'examples' && endsInExample(path.slice(0, -2));
  const isDefault = path.at(-1) === 'default' && path.at(-2) !== 'responses';
  const isValue = isDefault || path.at(-1) === 'example' || path.at(-1) === 'enum';
  if (isValue || (path.at(-1) === 'value' && isNamedExample)) return !endsInName(path);
  return String(path.at(-1)).startsWith('x-') && !endsInName(path);
}

/** A member of a body may be called `$ref`, too. Its value is a schema, not a text. */
function isReference(node: object): boolean {
  return '$ref' in node && typeof node.$ref === 'string';
}

/**
 * Whether this is a Path Item, whose `$ref` may have members beside it: "the behavior is undefined" for them.
 */
function isPathItem(path: Path): boolean {
  return path.length === 2 && path[0] === 'paths';
}
