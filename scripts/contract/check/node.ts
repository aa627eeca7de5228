import { memberAt, pathOfReference } from '../../../src/contract/document/json-pointer.js';

/** A value in the YAML with its place. References are followed: the place is that of the definition. */
export type YamlPath = readonly string[];

export class Node {
  readonly #root: unknown;
  readonly path: YamlPath;
  readonly value: unknown;

  constructor(root: unknown, path: YamlPath = [], value: unknown = root) {
    this.#root = root;
    this.path = path;
    this.value = value;
  }

  /** The node below `key`, or undefined. */
  at(...keys: readonly string[]): Node | undefined {
    const [key, ...rest] = keys;
    if (key === undefined) return this;
    const value = memberAt(this.value, key);
    if (value === undefined) return undefined;
    return new Node(this.#root, [...this.path, key], value).#resolved().at(...rest);
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
    return new Node(this.#root).at(...pathOfReference(reference)) ?? this;
  }
}
