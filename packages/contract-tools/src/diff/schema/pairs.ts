/**
 * Pairs the schemas of two lists, such as the alternatives of two `oneOf`. A list has no names, so nothing
 * says which schema of the old one became which of the new one.
 */
import type { Node } from '../../document/node.js';
import { areUnchanged } from '../unchanged.js';
import { fingerprint } from './fingerprint.js';

export interface Pairs {
  /** An old schema, and the new one that it became. */
  readonly same: readonly (readonly [Node, Node])[];
  /** Old schemas without a new one. */
  readonly dropped: readonly Node[];
  /** New schemas without an old one. */
  readonly added: readonly Node[];
}

type AreAlike = (old: Node, now: Node) => boolean;

export const sayTheSame: AreAlike = (old, now) =>
  areUnchanged([old], [now]) || fingerprint(old) === fingerprint(now);
const standAtOnePlace: AreAlike = (old, now) => old.key === now.key;

/** Pairs the schemas that are alike in one of the ways, which are tried one after the other. */
export function pairedBy(
  ways: readonly AreAlike[],
  base: readonly Node[],
  next: readonly Node[],
): Pairs & { readonly dropped: Node[]; readonly added: Node[] } {
  const before = [...base];
  const after = [...next];
  const same: [Node, Node][] = [];
  for (const areAlike of ways) {
    for (const old of [...before]) {
      const index = after.findIndex((now) => areAlike(old, now));
      const [now] = index < 0 ? [] : after.splice(index, 1);
      if (now === undefined) continue;
      same.push([old, now]);
      before.splice(before.indexOf(old), 1);
    }
  }
  return { same, dropped: before, added: after };
}

/**
 * Pairs equal schemas, then those of the same component or place, and then the rest in its order if as many
 * are left on both sides. This is a guess of what the author did. A wrong guess can make the report longer
 * and stricter, but it hides no break, because the schemas of each pair are compared.
 */
export function paired(base: readonly Node[], next: readonly Node[]): Pairs {
  const { same, dropped, added } = pairedBy([sayTheSame, standAtOnePlace], base, next);
  if (dropped.length !== added.length) return { same, dropped, added };
  // Both lists have the same length.
  const guessed = dropped.map((old, index) => [old, added[index] as Node] as const);
  return { same: [...same, ...guessed], dropped: [], added: [] };
}
