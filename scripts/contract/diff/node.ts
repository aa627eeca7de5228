/**
 * A contract as lint and mock still read it, until they use the nodes of ../document/: references are followed,
 * and each value knows its place in the file. `get`, `children` and `members` throw a ContractError at a
 * reference that cannot be followed.
 */

import { ContractError } from '../../../src/schema/contract-error.js';
import { memberAt, type Path, pathOfReference, valueAt } from '../../../src/schema/json-pointer.js';
import type { ContractDocument } from '../document/document.js';
import { isObject } from '../kit/canonical.js';

/** A value of one of the two documents, with its place. */
export class Node {
  readonly contract: ContractDocument;
  readonly path: Path;
  readonly value: unknown;
  /** The place at which the value is used: that of the reference that led here, or its own. */
  readonly entry: Path;

  constructor(contract: ContractDocument, path: Path, value: unknown, entry = path) {
    this.contract = contract;
    this.path = path;
    this.value = value;
    this.entry = entry;
  }

  static root(contract: ContractDocument): Node {
    return new Node(contract, [], contract.document);
  }

  /** Where the node stands in the source: `file:line:column`. */
  get place(): string {
    return this.contract.place(this.path);
  }

  /**
   * The same text however the node is reached. A value of the other document at the same place has it, too.
   */
  get key(): string {
    return JSON.stringify(this.path);
  }

  /** The same value at the place where it is used: that use was added or removed, and not the component. */
  get use(): Node {
    return new Node(this.contract, this.entry, this.value);
  }

  /**
   * The value below `key`, with references followed; undefined if there is none.
   *
   * @throws {ContractError} if a reference leads out of the document, or in a circle
   */
  get(key: string | number): Node | undefined {
    const value = memberAt(this.value, key);
    return value === undefined ? undefined : new Node(this.contract, [...this.path, key], value).followed();
  }

  /**
   * The members of an object or the items of a list; nothing else has any.
   *
   * @throws {ContractError} if a reference leads out of the document, or in a circle
   */
  children(): Node[] {
    if (!isObject(this.value)) return [];
    const keys = Array.isArray(this.value) ? this.value.keys() : Object.keys(this.value);
    return [...keys].flatMap((key) => this.get(key) ?? []);
  }

  /**
   * The members of an object by their names, which references do not change.
   *
   * @throws {ContractError} if a reference leads out of the document, or in a circle
   */
  members(): Map<string, Node> {
    const keys = isObject(this.value) && !Array.isArray(this.value) ? Object.keys(this.value) : [];
    return new Map(
      keys.flatMap((key) => {
        const node = this.get(key);
        return node === undefined ? [] : [[key, node] as const];
      }),
    );
  }

  text(key: string): string | undefined {
    const value = memberAt(this.value, key);
    return typeof value === 'string' ? value : undefined;
  }

  is(key: string): boolean {
    return memberAt(this.value, key) === true;
  }

  /** The digits of the number at `key`, all of them (see Contract.document). */
  digits(key: string): string | undefined {
    const value = memberAt(this.value, key);
    return this.text(`x-exact-${key}`) ?? (typeof value === 'number' ? digitsOf(value) : undefined);
  }

  private followed(): Node {
    let node: Node = this;
    const seen = new Set<string>();
    for (let target = node.text('$ref'); target !== undefined; target = node.text('$ref')) {
      if (!target.startsWith('#') || seen.has(target)) {
        throw new ContractError(`${node.place}: "${target}" leads out of the document or in a circle.`);
      }
      seen.add(target);
      const keys = pathOfReference(target);
      node = new Node(this.contract, keys, valueAt(this.contract.document, keys), this.path);
    }
    return node;
  }
}

/**
 * Writes all digits of a number. `String(-(2 ** 63))` would end in 6000, because it is the shortest text
 * that leads back to the double.
 */
function digitsOf(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}
