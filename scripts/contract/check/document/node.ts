/**
 * A view of the YAML in which every value knows its place, so that a finding can show the line that a server
 * breaks.
 */
import { memberAt, pathOfReference } from '../../../../src/schema/json-pointer.js';

/** The names and indices that lead from the root of the YAML to a value: `['paths', '/plants', 'get']`. */
export type YamlPath = readonly string[];

/** The direction in which the values of a schema go decides about `readOnly` and `writeOnly`. */
type Direction = 'request' | 'response';

/**
 * A value in the YAML with its place. A reference is followed: the node is what the reference leads to, and
 * its place is that of the definition.
 */
export class Node {
  readonly #root: unknown;
  readonly #direction: Direction | undefined;
  readonly path: YamlPath;
  readonly value: unknown;

  constructor(root: unknown, path: YamlPath = [], value: unknown = root, direction?: Direction) {
    this.#root = root;
    this.#direction = direction;
    this.path = path;
    this.value = value;
  }

  /** The node below `key`, or undefined. */
  at(...keys: readonly string[]): Node | undefined {
    const [key, ...rest] = keys;
    if (key === undefined) return this;
    const value = memberAt(this.value, key);
    if (value === undefined) return undefined;
    return new Node(this.#root, [...this.path, key], value, this.#direction).#resolved().at(...rest);
  }

  /** The same schema for values that go one way: so are the nodes below it. */
  facing(direction: Direction): Node {
    return new Node(this.#root, this.path, this.value, direction);
  }

  /**
   * OpenAPI 3.0.3, "readOnly" and "writeOnly": such a member does not go the other way, even if it is
   * required.
   */
  get goesOtherWay(): boolean {
    if (this.#direction === undefined) return false;
    return this.flag(this.#direction === 'request' ? 'readOnly' : 'writeOnly');
  }

  /** The node at a place that another node, or a misfit, names. */
  sibling(path: YamlPath): Node | undefined {
    return new Node(this.#root).at(...path);
  }

  /** The nodes directly below this one, by their names or indices. */
  members(): [string, Node][] {
    if (typeof this.value !== 'object' || this.value === null) return [];
    return Object.keys(this.value).flatMap((key) => {
      const node = this.at(key);
      return node === undefined ? [] : [[key, node] satisfies [string, Node]];
    });
  }

  /** The nodes below `key`, without their names. */
  list(key: string): Node[] {
    return (this.at(key)?.members() ?? []).map(([, node]) => node);
  }

  text(key: string): string | undefined {
    const value = memberAt(this.value, key);
    return typeof value === 'string' ? value : undefined;
  }

  flag(key: string): boolean {
    return memberAt(this.value, key) === true;
  }

  /** Integers of the YAML become bigints, other numbers remain numbers. */
  number(key: string): bigint | number | undefined {
    const value = memberAt(this.value, key);
    return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
  }

  #resolved(): Node {
    const reference = this.text('$ref');
    if (!reference?.startsWith('#/')) return this;
    // The contract is valid by now: every reference leads somewhere.
    const path = pathOfReference(reference);
    return new Node(this.#root, [], this.#root, this.#direction).at(...path) ?? this;
  }
}
