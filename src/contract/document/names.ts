import type { Path } from './json-pointer.js';

/** Their keys are names that the document chose. Such a name can also be a keyword, such as "items". */
const mapsOfNames: ReadonlySet<unknown> = new Set(['properties', 'headers', 'links', 'callbacks']);

/** Whether the last key of a path is a name, not a keyword of OpenAPI. */
export function endsInName(path: Path): boolean {
  const parent = path.slice(0, -1);
  if (parent[0] === 'components' && parent.length === 2) return true;
  return mapsOfNames.has(parent.at(-1)) && !endsInName(parent);
}

export function endsInExample(path: Path): boolean {
  return ['example', 'examples'].includes(String(path.at(-1))) && !endsInName(path);
}
