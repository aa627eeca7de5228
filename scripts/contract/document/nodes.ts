/**
 * Walks through a document, and tells its own nodes from data and its keywords from names. A contract may have
 * a member that is called "items" or "example", and an example may have a member `$ref`: neither means there
 * what it means elsewhere.
 */
import type { Path } from '../../../src/schema/json-pointer.js';

/**
 * Maps whose keys are names that the author chose. Such a name can be a keyword elsewhere, such as "items".
 */
const mapsOfNames: ReadonlySet<unknown> = new Set([
  'properties',
  'headers',
  'links',
  'callbacks',
  'examples',
]);

/** @returns whether the last key of a path is a name that the author chose, and not a keyword of OpenAPI */
function endsInName(path: Path): boolean {
  const parent = path.slice(0, -1);
  if (parent[0] === 'components' && parent.length === 2) return true;
  return mapsOfNames.has(parent.at(-1)) && !endsInName(parent);
}

/**
 * Yields the maps and lists of a document, each before what it holds. It leaves out data: the values of
 * examples, defaults and enums, and extensions.
 */
export function nodesOf(document: object): Iterable<[path: Path, node: object]> {
  return walk(document, [], isData);
}

/** Yields the maps and lists of a document and of the data in it. */
export function nodesWithData(document: object): Iterable<[path: Path, node: object]> {
  return walk(document, [], () => false);
}

function* walk(
  node: unknown,
  path: Path,
  isLeftOut: (path: Path) => boolean,
): Generator<[path: Path, node: object]> {
  if (typeof node !== 'object' || node === null) return;
  yield [path, node];
  for (const [key, value] of Object.entries(node)) {
    const below = [...path, Array.isArray(node) ? Number(key) : key];
    if (!isLeftOut(below)) yield* walk(value, below, isLeftOut);
  }
}

function isData(path: Path): boolean {
  if (endsInName(path)) return false;
  const [last, before] = [path.at(-1), path.at(-2)];
  if (last === 'example' || last === 'enum' || String(last).startsWith('x-')) return true;
  // `responses` have a default, too, which is a response.
  if (last === 'default') return before !== 'responses';
  return last === 'value' && path.at(-3) === 'examples' && endsInName(path.slice(0, -1));
}

export interface Reference {
  $ref: string;
}

/** A member of a body may be called `$ref`, too. Its value is a schema, not a text. */
export function isReference(node: object): node is Reference {
  return '$ref' in node && typeof node.$ref === 'string';
}
