/**
 * Gives a schema a fingerprint that is equal for schemas that say the same, so that the alternatives of two
 * contracts can be paired.
 *
 * References are followed, and documentation does not count. Schemas can contain themselves, and many can share
 * one, so that the ways through them are endless or exponentially many. Hence a fingerprint ends `maxLevels`
 * down, and each node is looked at once for each number of levels that are left below it.
 */
import { createHash } from 'node:crypto';
import { exactJson } from '../../../../exact-json/index.js';
import { isObject } from '../../base/canonical.js';
import type { Node } from '../../document/node.js';
import { below } from '../values.js';
import { hasChosenNames, isData } from '../words.js';
import { keywordsOf } from './parts.js';

/** No contract nests deeper without a circle. */
const maxLevels = 64;

const words = ['description', 'title', 'summary', 'examples', 'deprecated', 'externalDocs'];

/** The values of these keywords mean the same in any order. */
const unordered = ['allOf', 'oneOf', 'anyOf', 'enum', 'required', 'type'];

/** By the values of the nodes: one fingerprint for each number of levels. */
const known = new WeakMap<object, Map<number, string>>();

/** @param levels how many levels below the node count */
export function fingerprint(written: Node, levels = maxLevels): string {
  const node = unwrapped(written);
  const { value } = node;
  if (!isObject(value)) return exactJson(value);
  if (isData(node.path))
    return exactJson(
      isUnordered(node)
        ? below(node)
            .map((item) => exactJson(item.value))
            .sort()
        : value,
    );
  if (levels === 0) return 'more';
  const found = known.get(value)?.get(levels);
  if (found !== undefined) return found;
  const made = createHash('sha256').update(contentOf(node, levels)).digest('base64');
  known.set(value, (known.get(value) ?? new Map<number, string>()).set(levels, made));
  return made;
}

function contentOf(node: Node, levels: number): string {
  if (Array.isArray(node.value)) {
    const items = below(node).map((item) => fingerprint(item, levels - 1));
    return JSON.stringify(isUnordered(node) ? items.sort() : items);
  }
  const members = node.members().filter(([key]) => hasChosenNames(node.path) || !words.includes(key));
  return JSON.stringify(members.map(([key, child]) => [key, fingerprint(child, levels - 1)]).sort());
}

function isUnordered({ path }: Node): boolean {
  return unordered.includes(String(path.at(-1)));
}

/**
 * Returns the only schema of an `allOf`, `oneOf` or `anyOf`, if that is all that a schema says; else the
 * schema.
 */
export function unwrapped(schema: Node): Node {
  const seen = new Set<string>();
  let inner = schema;
  while (!seen.has(inner.key)) {
    seen.add(inner.key);
    const node = inner;
    const lists = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => node.at(key) ?? []);
    const [only, ...more] = lists.flatMap(below);
    if (only === undefined || more.length > 0 || keywordsOf(node).length > 1) return node;
    inner = only;
  }
  return inner;
}
