import type { Node } from '../node.js';
import { fingerprint } from './fingerprint.js';

export interface Pairs {
  readonly same: readonly (readonly [Node, Node])[];
  readonly dropped: readonly Node[];
  readonly added: readonly Node[];
}

/**
 * Pairs equal schemas, then those of the same component or place, then the rest in its order. It only has to
 * guess what the author did: the schemas of each pair are compared.
 */
export function paired(base: readonly Node[], next: readonly Node[]): Pairs {
  const before = [...base];
  const after = [...next];
  const same: [Node, Node][] = [];
  for (const mark of [(node: Node) => fingerprint(node), (node: Node) => node.key]) {
    for (const old of [...before]) {
      const index = after.findIndex((now) => mark(now) === mark(old));
      const [now] = index < 0 ? [] : after.splice(index, 1);
      if (now === undefined) continue;
      same.push([old, now]);
      before.splice(before.indexOf(old), 1);
    }
  }
  while (before.length > 0 && after.length > 0 && before.length === after.length) {
    const old = before.shift();
    const now = after.shift();
    if (old !== undefined && now !== undefined) same.push([old, now]);
  }
  return { same, dropped: before, added: after };
}
