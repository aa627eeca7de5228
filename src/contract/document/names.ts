import type { Path } from './json-pointer.js';

/**
 * Maps whose keys are names that the author chose. Such a name can be a keyword elsewhere, such as "items".
 */
const mapsOfNames: ReadonlySet<unknown> = new Set(['properties', 'headers', 'links', 'callbacks']);

/** @returns whether the last key of a path is a name that the author chose, and not a keyword of OpenAPI */
export function endsInName(path: Path): boolean {
  const parent = path.slice(0, -1);
  if (parent[0] === 'components' && parent.length === 2) return true;
  return mapsOfNames.has(parent.at(-1)) && !endsInName(parent);
}

/** @returns whether the path leads to an example, whose value is data and not a part of the document */
export function endsInExample(path: Path): boolean {
  return ['example', 'examples'].includes(String(path.at(-1))) && !endsInName(path);
}
