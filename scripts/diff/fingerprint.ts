import { canonical, isObject } from '../kit/canonical.js';
import type { Node } from './node.js';

const words = ['description', 'title', 'summary', 'example', 'externalDocs'];

/**
 * What a node says, with references followed and without what only people read, `depth` levels down:
 * far enough to tell it from its neighbours. Where it contains itself, the way back up is what it says.
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
