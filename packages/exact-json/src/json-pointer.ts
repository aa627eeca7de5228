/**
 * Names a place in a document, and finds what is there: as a path of keys, as a JSON pointer, and as a
 * `$ref`.
 */
import querystring from 'node:querystring';

/** The keys and indexes that lead from the top of a document to a node. */
export type Path = readonly (string | number)[];

/** @returns the value at the path; undefined if there is none */
export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce(memberAt, document);
}

/**
 * @returns the member or the item; undefined if there is none. It ignores what an object inherits, because a
 * member may be called `constructor`
 */
export function memberAt(node: unknown, key: string | number): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key)
    ? Reflect.get(node, key)
    : undefined;
}

/** Splits a JSON pointer into its keys (RFC 6901, section 4): `/paths/~1plants` → `paths`, `/plants` */
export function pathOf(pointer: string): string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Splits a `$ref` within the document into its keys (RFC 6901, section 6): `#/paths/~1a%20b` → `paths`, `/a
 * b`. A broken percent-encoding stays as it is.
 */
export function pathOfReference(reference: string): string[] {
  return pathOf(querystring.unescape(reference.slice(1)));
}

/** @returns the JSON pointer to the value at a path (RFC 6901, section 3) */
export function pointerOf(path: Path): string {
  return path.reduce<string>((parent, key) => pointerTo(parent, String(key)), '');
}

/** @returns the JSON pointer to a member of the value at `parent` (RFC 6901, section 3) */
export function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export interface Reference {
  readonly $ref: string;
}

/** A map of members may have one that is called `$ref`, too: its value is an object, not a text. */
export function isReference(value: unknown): value is Reference {
  return isMap(value) && typeof value['$ref'] === 'string';
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
