/**
 * Items that end by themselves: a member such as `expires_at` or `ttl` says when. No schema says which of its values are in
 * the past, and a run takes as long as it takes. So no item gets such a member unless the case is about it, and
 * whether an item that has one is still there is not compared.
 */
import { isObject, type Value } from '../../values/json.js';

const names = /^(?:expir(?:es|y|ation)|ttl$|time_?to_?live|valid_?(?:until|to$|through))/i;

/** Whether a member with this name says when its item ends. */
export function saysEnd(name: string): boolean {
  return names.test(name);
}

/** Whether an item with this content may end by itself. */
export function mayEnd(content: Value | undefined): boolean {
  return (
    isObject(content) && Object.entries(content).some(([name, value]) => saysEnd(name) && value !== null)
  );
}
