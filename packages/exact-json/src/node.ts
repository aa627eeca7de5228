/**
 * A value of a document, with its place. References are followed: `at` leads to what a reference leads to,
 * and the place of that node is that of the definition.
 *
 * Everything behind the reader sees a document through nodes. Two nodes with the same `key` are the same part
 * of the document, however they were reached, so a walk that remembers keys visits a shared schema once.
 */
import type { JsonValue } from './json.js';
import { isReference, memberAt, type Path, pathOfReference, pointerOf, valueAt } from './json-pointer.js';

/** The direction in which the values of a schema go decides about `readOnly` and `writeOnly`. */
export type Direction = 'request' | 'response';

/** What a node needs of its document: the form, and where its paths stand in the text. */
export interface Source {
  readonly value: JsonValue;
  place(path: Path): string;
}

export class Node {
  readonly #source: Source;
  readonly #direction: Direction | undefined;
  readonly path: Path;
  readonly value: JsonValue;
  /** The place at which the value is used: that of the reference that led here, or its own. */
  readonly entry: Path;
  #key: string | undefined;

  private constructor(
    source: Source,
    path: Path,
    value: JsonValue,
    direction: Direction | undefined,
    entry: Path,
  ) {
    this.#source = source;
    this.path = path;
    this.value = value;
    this.#direction = direction;
    this.entry = entry;
  }

  static root(source: Source): Node {
    return new Node(source, [], source.value, undefined, []);
  }

  /** Where the node stands in the text: `file:line:column`. */
  get place(): string {
    return this.#source.place(this.path);
  }

  /** The JSON pointer of the node, the same however it was reached. */
  get key(): string {
    this.#key ??= pointerOf(this.path);
    return this.#key;
  }

  /** The same value at the place where it is used: that use was added or removed, and not the component. */
  get use(): Node {
    return new Node(this.#source, this.entry, this.value, this.#direction, this.entry);
  }

  /** The same schema for values that go one way: so are the nodes below it. */
  facing(direction: Direction): Node {
    return new Node(this.#source, this.path, this.value, direction, this.entry);
  }

  /**
   * A value that stands in no document, such as a schema that is put together from parts of one. It has the
   * place of this node, and its references lead where those of the document lead.
   *
   * @param keys what tells it from other such values of this node
   */
  standIn(value: JsonValue, ...keys: readonly (string | number)[]): Node {
    return new Node(this.#source, [...this.path, ...keys], value, this.#direction, this.entry);
  }

  /** The direction of the values, if `facing` has said it. */
  get direction(): Direction | undefined {
    return this.#direction;
  }

  /**
   * Whether such a member does not go this way, even if it is required (OpenAPI 3.0.3, "readOnly" and
   * "writeOnly").
   */
  get goesOtherWay(): boolean {
    if (this.#direction === undefined) return false;
    return this.flag(this.#direction === 'request' ? 'readOnly' : 'writeOnly');
  }

  /** The node below, or undefined. References are followed. */
  at(...keys: readonly (string | number)[]): Node | undefined {
    let node: Node = this;
    for (const key of keys) {
      const value = memberAt(node.value, key);
      if (value === undefined) return undefined;
      // What stands in a value of JSON is one.
      node = node.#below([...node.path, key], value as JsonValue);
    }
    return node;
  }

  /** The node at a path from the top, such as that of a violation. */
  fromRoot(path: Path): Node | undefined {
    return Node.root(this.#source).at(...path);
  }

  /** The nodes directly below this one, by their names, or by their indexes as texts. */
  members(): [string, Node][] {
    const { value } = this;
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).map(([key, member]) => [
      key,
      this.#below([...this.path, Array.isArray(value) ? Number(key) : key], member),
    ]);
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

  /** Integers are bigints, other numbers are numbers. */
  number(key: string): bigint | number | undefined {
    const value = memberAt(this.value, key);
    return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
  }

  #below(path: Path, value: JsonValue): Node {
    let [target, found] = [path, value];
    // The reader has refused references in a circle, and those that lead nowhere. Data may look like one.
    while (isReference(found)) {
      const next = pathOfReference(found.$ref);
      const led = valueAt(this.#source.value, next);
      if (led === undefined || !found.$ref.startsWith('#')) break;
      // What stands in a value of JSON is one.
      [target, found] = [next, led as JsonValue];
    }
    return new Node(this.#source, target, found, this.#direction, path);
  }
}
