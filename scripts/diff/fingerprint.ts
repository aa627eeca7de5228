import { canonical, isObject } from '../kit/canonical.js';
import type { Node } from './node.js';

const words = ['description', 'title', 'summary', 'example', 'externalDocs'];

/**
 * The content of a node, with references followed and without documentation, `depth` levels down: enough to
 * tell it from its neighbours. If it contains itself, the path back up stands for it.
 */
export function fingerprint(node: Node, depth = 6, above: readonly string[] = []): string {
  if (depth === 0 || !isObject(node.value)) return canonical(node.value);
  const round = above.indexOf(node.key);
  if (round >= 0) return `up ${above.length - round}`;
  const below = (child: Node) => fingerprint(child, depth - 1, [...above, node.key]);
  if (Array.isArray(node.value)) return `[${node.children().map(below)}]`;
  const members = [...node.members()].filter(([key]) => !words.includes(key));
  return `{${members.map(([key, child]) => `${JSON.stringify(key)}:${below(child)}`).sort()}}`;
}
