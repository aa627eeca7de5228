/** What the comparison says of values and of their places. */
import { createHash } from 'node:crypto';
import { exactJson, type JsonValue } from '../../../exact-json/index.js';
import type { Node } from '../document/node.js';

/** A keyword's value, and where it stands. */
export interface At<T> {
  readonly value: T;
  readonly at: Node;
}

/**
 * Returns the place to report of a keyword's change: the new one if the keyword is still there, else the old
 * one.
 */
export function eitherAt(base: Node, next: Node, key: string): Node {
  return next.at(key) ?? base.at(key) ?? next;
}

/** Returns the nodes directly below one, without their names; none if there is no node. */
export function below(node: Node | undefined): Node[] {
  return node?.members().map(([, child]) => child) ?? [];
}

/** Returns the nodes below `key` by their names. */
export function namedAt(node: Node, key: string): Map<string, Node> {
  return new Map(node.at(key)?.members());
}

/**
 * Writes all digits of a number. `String(-(2 ** 63))` would end in 6000, because it is the shortest text
 * that leads back to the double.
 */
export function digitsOf(value: bigint | number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

/**
 * Writes a value for a sentence, on one line. Of a long one, it shows the first 50 characters and a digest of all, so
 * that no two values are written in the same way: an acceptance knows a change by these words (accept.ts).
 */
export function shown(value: JsonValue): string {
  const text = exactJson(value);
  if (text.length <= 60) return text;
  return `${text.slice(0, 50)}… (SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 8)}…)`;
}
