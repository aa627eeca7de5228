/**
 * Writes a schema as a text that is equal for schemas that say the same, so that the alternatives of two
 * contracts can be paired, and callbacks compared.
 */
import { exactJson } from '../../../../src/schema/exact-json.js';
import type { Node } from '../../document/node.js';
import { isObject } from '../../kit/canonical.js';
import { below } from '../values.js';
import { keywordsOf } from './parts.js';

const words = ['description', 'title', 'summary', 'examples', 'deprecated', 'externalDocs'];

/** The values of these keywords mean the same in any order. */
const unordered = ['allOf', 'oneOf', 'anyOf', 'enum', 'required'];

/**
 * Writes the content of a node, with references followed and without documentation, `depth` levels down:
 * enough to tell it from its neighbours. If it contains itself, the number of levels up to it stands for it.
 *
 * @param above the keys of the nodes that this one is in
 */
export function fingerprint(written: Node, depth = 6, above: readonly string[] = []): string {
  const node = unwrapped(written);
  if (depth === 0 || !isObject(node.value)) return exactJson(node.value);
  const round = above.indexOf(node.key);
  if (round >= 0) return `up ${above.length - round}`;
  const within = (child: Node) => fingerprint(child, depth - 1, [...above, node.key]);
  if (Array.isArray(node.value)) {
    const items = below(node).map(within);
    return `[${unordered.includes(String(node.path.at(-1))) ? items.sort() : items}]`;
  }
  const members = node.members().filter(([key]) => !words.includes(key));
  return `{${members.map(([key, child]) => `${JSON.stringify(key)}:${within(child)}`).sort()}}`;
}

/**
 * Returns the only schema of an `allOf`, `oneOf` or `anyOf`, if that is all that a schema says; else the
 * schema.
 */
export function unwrapped(schema: Node): Node {
  const lists = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => schema.at(key) ?? []);
  const [only, ...more] = lists.flatMap(below);
  return only === undefined || more.length > 0 || keywordsOf(schema).length > 1 ? schema : unwrapped(only);
}
