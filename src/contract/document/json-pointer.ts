import querystring from 'node:querystring';

/** Keys and indexes, from the top down. */
export type Path = readonly (string | number)[];

export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce(memberAt, document);
}

/** A document's member may be called `constructor`. */
export function memberAt(node: unknown, key: string | number): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key)
    ? Reflect.get(node, key)
    : undefined;
}

/** RFC 6901, section 4: `/paths/~1plants` → `paths`, `/plants` */
export function pathOf(pointer: string): string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** RFC 6901, section 6: `#/paths/~1a%20b` → `paths`, `/a b`. Keeps a broken encoding. */
export function pathOfReference(reference: string): string[] {
  return pathOf(querystring.unescape(reference.slice(1)));
}

/** RFC 6901, section 3. */
export function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
