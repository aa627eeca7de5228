/**
 * Turns a document of OpenAPI 3.0, 3.1 or 3.2 into one form, so that nothing behind the reader knows which
 * version it was written in.
 *
 * The skeleton of the three versions is nearly the same; their schemas are not. 3.0 has keywords of its own,
 * such as `nullable`, and 3.1 has those of JSON Schema 2020-12. Without one form, each rule of check, diff,
 * lint and mock would be there twice, and the two would drift apart. So the reader writes every schema in the
 * terms of JSON Schema 2020-12:
 *
 * | written | in the form |
 * |---|---|
 * | `type: string`, `nullable: true` | `type: [string, 'null']` |
 * | `nullable: true` without `type` | `anyOf` of the rest and `type: 'null'`, as people mean it |
 * | `minimum: 0`, `exclusiveMinimum: true` | `exclusiveMinimum: 0` |
 * | `example: a` | `examples: [a]`; beside a schema, `examples: { example: { value: a } }` |
 * | `const: a` | `enum: [a]` |
 * | `type: [string]` | `type: string` |
 * | `$ref` with siblings | 3.0: without them (3.0.3, "Reference Object"); later: in `allOf`, where it means the same |
 * | `dataValue` of an example | `value` |
 *
 * A sentence must name the place that the author wrote. Where the form has another path than the document,
 * `moved` says which.
 */
import { type JsonObject, type JsonValue, type Path, pointerOf } from '../../../exact-json/index.js';
import { childrenOf, isMap, isReference, type Kind } from './grammar.js';
import { localReference } from './references.js';

export type Version = '3.0' | '3.1' | '3.2';

export interface Form {
  readonly value: JsonObject;
  /** Where something stands in the document, by its JSON pointer in the form, if the two differ. */
  readonly moved: ReadonlyMap<string, Path>;
}

/** @param document a valid document of the version */
export function formOf(document: JsonObject, version: Version): Form {
  const moved = new Map<string, Path>();
  const rewrite = new Rewriter(version, moved, (reference) => localReference(reference, document));
  // The top of a document is an object, and stays one.
  return { value: rewrite.object('document', document, [], []) as JsonObject, moved };
}

class Rewriter {
  readonly #version: Version;
  readonly #moved: Map<string, Path>;
  readonly #local: (reference: string) => string;

  constructor(version: Version, moved: Map<string, Path>, local: (reference: string) => string) {
    this.#version = version;
    this.#moved = moved;
    this.#local = local;
  }

  /**
   * @param to the path in the form
   * @param from the path in the document
   */
  object(kind: Kind, value: JsonValue, to: Path, from: Path): JsonValue {
    if (!isObject(value)) return value;
    if (isReference(value)) {
      const isAlone = kind !== 'schema' || this.#version === '3.0' || Object.keys(value).length === 1;
      return isAlone ? { $ref: this.#local(value.$ref) } : this.#schemaWithReference(value, to, from);
    }
    if (kind === 'schema') return this.#schema(value, to, from);
    const made = this.#children(kind, value, to, from);
    if (kind === 'mediaType' || kind === 'parameter' || kind === 'header') this.#oneExample(made, to, from);
    if (kind === 'example' && made['dataValue'] !== undefined) {
      made['value'] ??= made['dataValue'];
      this.#say([...to, 'value'], [...from, 'dataValue']);
      delete made['dataValue'];
    }
    return made;
  }

  /** Rewrites what the grammar names below an object; the rest is data, and stays as it is. */
  #children(kind: Kind, value: JsonObject, to: Path, from: Path): JsonObject {
    const made: JsonObject = { ...value };
    for (const { kind: below, keys, value: child } of childrenOf(kind, value)) {
      const rewritten = this.object(below, child as JsonValue, [...to, ...keys], [...from, ...keys]);
      const [key = '', inner] = keys;
      if (inner === undefined) {
        made[key] = rewritten;
        continue;
      }
      // The first child copies the map or the list, so that the document stays as it was written.
      if (made[key] === value[key]) made[key] = copied(value[key]);
      // It is a map with names or a list with indexes, as `childrenOf` has found it.
      (made[key] as JsonObject)[inner] = rewritten;
    }
    return made;
  }

  #oneExample(made: JsonObject, to: Path, from: Path): void {
    if (made['example'] === undefined) return;
    if (made['examples'] === undefined) {
      made['examples'] = { example: { value: made['example'] } };
      this.#say([...to, 'examples', 'example', 'value'], [...from, 'example']);
      this.#say([...to, 'examples'], [...from, 'example']);
    }
    delete made['example'];
  }

  /** In `allOf`, the reference means the same, and its siblings have a place of their own. */
  #schemaWithReference(value: JsonObject, to: Path, from: Path): JsonValue {
    const { $ref, allOf, ...siblings } = value;
    const others = Array.isArray(allOf) ? allOf : [];
    // The reference stands at the end, so that the other schemas keep their places.
    const made = this.#schema({ ...siblings, allOf: [...others, { $ref: $ref ?? '' }] }, to, from);
    this.#say([...to, 'allOf', others.length], from);
    if (others.length === 0) this.#say([...to, 'allOf'], [...from, '$ref']);
    return made;
  }

  #schema(value: JsonObject, to: Path, from: Path): JsonValue {
    const isNullable = this.#version === '3.0' && value['nullable'] === true;
    const meansNull = isNullable && value['type'] === undefined && Object.keys(value).length > 1;
    if (meansNull) {
      const { nullable, ...rest } = value;
      const beside = Object.entries(rest).filter(([key]) => annotations.has(key));
      const within = Object.entries(rest).filter(([key]) => !annotations.has(key));
      const inner = [...to, 'anyOf', 0];
      this.#say(inner, from);
      this.#say([...to, 'anyOf', 1], [...from, 'nullable']);
      this.#say([...to, 'anyOf'], [...from, 'nullable']);
      return {
        ...(this.#schema(Object.fromEntries(beside), to, from) as JsonObject),
        anyOf: [this.#schema(Object.fromEntries(within), inner, from), { type: 'null' }],
      };
    }
    const made = this.#children('schema', value, to, from);
    const rename = (key: string, written: string): void => this.#say([...to, key], [...from, written]);
    if (isNullable && typeof made['type'] === 'string') {
      made['type'] = [made['type'], 'null'];
      this.#say([...to, 'type', 0], [...from, 'type']);
      this.#say([...to, 'type', 1], [...from, 'nullable']);
    }
    delete made['nullable'];
    delete made['$comment'];
    const [type, ...otherTypes] = Array.isArray(made['type']) ? made['type'] : [];
    if (type !== undefined && otherTypes.length === 0) made['type'] = type;
    for (const [exclusive, inclusive] of exclusiveBounds) {
      if (typeof made[exclusive] !== 'boolean') continue;
      const bound = made[inclusive];
      if (made[exclusive] && bound !== undefined) {
        made[exclusive] = bound;
        rename(exclusive, inclusive);
        delete made[inclusive];
      } else delete made[exclusive];
    }
    if (made['const'] !== undefined) {
      made['enum'] = [made['const']];
      rename('enum', 'const');
      this.#say([...to, 'enum', 0], [...from, 'const']);
      delete made['const'];
    }
    if (made['example'] !== undefined) {
      if (!Array.isArray(made['examples'])) {
        made['examples'] = [made['example']];
        rename('examples', 'example');
        this.#say([...to, 'examples', 0], [...from, 'example']);
      }
      delete made['example'];
    }
    return made;
  }

  #say(to: Path, from: Path): void {
    this.#moved.set(pointerOf(to), from);
  }
}

const exclusiveBounds = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

/** They say something of a member, and not which values it has: they stay beside the `anyOf` of `nullable`. */
const annotations: ReadonlySet<string> = new Set([
  ...[
    'title',
    'description',
    'default',
    'deprecated',
    'example',
    'readOnly',
    'writeOnly',
    'externalDocs',
    'xml',
  ],
]);

/**
 * @returns the path in the document of what stands at a path of the form
 */
export function writtenPath({ moved }: Pick<Form, 'moved'>, path: Path): Path {
  for (let length = path.length; length > 0; length--) {
    const from = moved.get(pointerOf(path.slice(0, length)));
    if (from !== undefined) return [...from, ...path.slice(length)];
  }
  return path;
}

function copied(value: JsonValue | undefined): JsonValue {
  return Array.isArray(value) ? [...value] : isObject(value) ? { ...value } : {};
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return isMap(value);
}
