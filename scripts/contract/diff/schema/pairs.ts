/**
 * Pairs the schemas of two lists, such as the alternatives of two `oneOf`. A list has no names, so nothing
 * says which schema of the old one became which of the new one.
 */
import type { Node } from '../node.js';
import { fingerprint } from './fingerprint.js';

export interface Pairs {
  /** An old schema, and the new one that it became. */
  readonly same: readonly (readonly [Node, Node])[];
  /** Old schemas without a new one. */
  readonly dropped: readonly Node[];
  /** New schemas without an old one. */
  readonly added: readonly Node[];
}

/**
 * Pairs equal schemas, then those of the same component or place, and then the rest in its order if as many
 * are left on both sides. This is a guess of what the author did. A wrong guess can make the report longer
 * and stricter, but it hides no break, because the schemas of each pair are compared.
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
