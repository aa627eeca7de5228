/**
 * Finds the schemas that are the same in both contracts, with all that they refer to, so that they need not be
 * compared. Two versions of a contract differ in little, and its operations share schemas that refer to each
 * other. Without this, each operation would compare all that its schemas can reach: with 340 paths, hundreds of
 * schemas for each of a thousand bodies.
 *
 * 1. Each value gets a number, and equal values of both contracts get the same one. An object is looked up by
 *    the numbers of its members, so a value is looked at once, whatever it is in.
 * 2. A reference is affected if what it leads to has another number in the other contract, or has an affected
 *    reference in it.
 * 3. Two schemas are unchanged if they have the same number, and no affected reference in them.
 *
 * For example, `Plant` has an `owner: { $ref: User }`, and `User` gets a member. `Plant` has the same number as
 * before, but it is affected.
 */
import { type JsonValue, pathOfReference, valueAt } from '../../../exact-json/index.js';
import { isMap } from '../document/grammar.js';
import type { Node } from '../document/node.js';

/** What a value is made of, by the numbers of its members. */
interface Made {
  readonly members: readonly number[];
  /** Where it leads, if it is the text of a reference or may be one. */
  readonly reference: string | undefined;
}

class Unchanged {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<object, number>();
  readonly #made: Made[] = [];
  readonly #affected: ReadonlySet<string>;
  readonly #isAffected = new Map<number, boolean>();

  constructor(base: JsonValue, next: JsonValue) {
    for (const document of [base, next]) this.#numberOf(document);
    this.#affected = this.#affectedReferences(base, next);
  }

  has(base: JsonValue, next: JsonValue): boolean {
    const number = this.#numberOf(base);
    return number === this.#numberOf(next) && !this.#leadsToChange(number);
  }

  #numberOf(value: JsonValue): number {
    if (typeof value !== 'object' || value === null)
      return this.#number(`${typeof value} ${value}`, {
        members: [],
        reference: typeof value === 'string' ? referenceIn(value) : undefined,
      });
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    // The order of members means nothing.
    const keys = Array.isArray(value) ? Object.keys(value) : Object.keys(value).sort();
    const members = keys.map((key) => this.#numberOf((value as Record<string, JsonValue>)[key] ?? null));
    const named = Array.isArray(value) ? members : keys.map((key, index) => [key, members[index]]);
    const number = this.#number(JSON.stringify([Array.isArray(value), named]), {
      members,
      reference: undefined,
    });
    this.#known.set(value, number);
    return number;
  }

  #number(text: string, made: Made): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#made.length);
    return this.#made.push(made) - 1;
  }

  #affectedReferences(base: JsonValue, next: JsonValue): ReadonlySet<string> {
    const usedBy = new Map<string, string[]>();
    const affected = new Set<string>();
    for (const reference of new Set(this.#made.flatMap((made) => made.reference ?? []))) {
      const [before, after] = [base, next].map((document) => this.#target(document, reference));
      if (before !== after) affected.add(reference);
      for (const inner of before === undefined ? [] : this.#referencesIn(before))
        usedBy.set(inner, [...(usedBy.get(inner) ?? []), reference]);
    }
    // The set grows while it is walked.
    for (const reference of affected) for (const user of usedBy.get(reference) ?? []) affected.add(user);
    return affected;
  }

  #target(document: JsonValue, reference: string): number | undefined {
    const value = valueAt(document, pathOfReference(reference));
    // What stands in a value of JSON is one.
    return value === undefined ? undefined : this.#numberOf(value as JsonValue);
  }

  #referencesIn(number: number): ReadonlySet<string> {
    const found = new Set<string>();
    const seen = new Set([number]);
    // The set grows while it is walked.
    for (const one of seen) {
      const made = this.#made[one];
      if (made?.reference !== undefined) found.add(made.reference);
      for (const member of made?.members ?? []) seen.add(member);
    }
    return found;
  }

  #leadsToChange(number: number): boolean {
    const known = this.#isAffected.get(number);
    if (known !== undefined) return known;
    const { members = [], reference } = this.#made[number] ?? {};
    const found =
      (reference !== undefined && this.#affected.has(reference)) ||
      members.some((member) => this.#leadsToChange(member));
    this.#isAffected.set(number, found);
    return found;
  }
}

/** A discriminator may name a component instead of referring to it (OpenAPI 3.0.3, "Discriminator Object"). */
function referenceIn(text: string): string | undefined {
  if (text.startsWith('#')) return text;
  return /^[\w.-]+$/.test(text) ? `#/components/schemas/${text}` : undefined;
}

/** A pair of documents is asked of at each schema. */
const pairs = new WeakMap<object, WeakMap<object, Unchanged>>();

/** Whether two lists of schemas are the same, with all that they refer to. */
export function areUnchanged(base: readonly Node[], next: readonly Node[]): boolean {
  if (base.length === 0 || base.length !== next.length) return false;
  const [before, after] = [base[0]?.fromRoot([])?.value, next[0]?.fromRoot([])?.value];
  if (!isMap(before) || !isMap(after)) return false;
  const known = pairs.get(before)?.get(after);
  const unchanged = known ?? new Unchanged(before as JsonValue, after as JsonValue);
  if (known === undefined) pairs.set(before, (pairs.get(before) ?? new WeakMap()).set(after, unchanged));
  return base.every((node, index) => {
    const other = next[index];
    return other !== undefined && unchanged.has(node.value, other.value);
  });
}
