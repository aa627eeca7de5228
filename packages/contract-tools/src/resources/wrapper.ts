/**
 * Reads and writes bodies that have everything in one member. Many an API sends and shows an item as `{
 * "data": { … } }`, or as `{ "ticket": { … } }`. Without the member, a request would not fit the document,
 * and no answer would show an id. So a resource knows the name of its wrapper. Its content is what is in it,
 * requests are wrapped when they are written, and answers are unwrapped when they are read.
 */

import type { Node } from '../document/node.js';
import type { Operation } from '../document/operations.js';
import { isObject, type Value } from '../values/json.js';
import { layersOf } from '../values/layers.js';
import { type Member, membersOf } from '../values/sites.js';

/**
 * @param sent the schemas of a create's body
 * @param shown the schemas of its answer
 * @returns the name of their wrapper; undefined if they have none
 */
export function wrapperOf(sent: readonly Node[], shown: readonly Node[]): string | undefined {
  const sides = [shown, sent];
  return sides.map(wrapperIn).find(
    (name) =>
      name !== undefined &&
      // Otherwise the member belongs to the content: `{ "place": … }` beside `{ "id": …, "place": … }`.
      sides.every((layers) => memberOf(layers, name) === undefined || wrapperIn(layers) === name),
  );
}

/** An object wraps the others if it is alone, or if it is named "data". */
function wrapperIn(layers: readonly Node[]): string | undefined {
  const members = membersOf(layers);
  const isWrapper = ({ name, schemas }: Member): boolean =>
    (members.length === 1 || name === 'data') && membersOf(schemas.flatMap(layersOf)).length > 0;
  return members.find(isWrapper)?.name;
}

function memberOf(layers: readonly Node[], name: string): Member | undefined {
  return membersOf(layers).find((member) => member.name === name);
}

export function isWrapped(layers: readonly Node[], wrapper: string | undefined): wrapper is string {
  return wrapper !== undefined && wrapperIn(layers) === wrapper;
}

/** Returns the schemas of what is in the wrapper, or the same schemas if they have no such wrapper. */
export function unwrapped(layers: readonly Node[], wrapper: string | undefined): readonly Node[] {
  if (!isWrapped(layers, wrapper)) return layers;
  return memberOf(layers, wrapper)?.schemas.flatMap(layersOf) ?? layers;
}

/** Returns the content of the wrapper in an answer that has these schemas. */
export function unwrap(layers: readonly Node[], wrapper: string | undefined, body: Value): Value {
  return isWrapped(layers, wrapper) && isObject(body) ? (body[wrapper] ?? null) : body;
}

/** Returns the wrapper of an operation's requests; undefined if they have none. */
export function wrapperOfRequest({ body }: Operation, wrapper: string | undefined): string | undefined {
  return body !== undefined && isWrapped(layersOf(body.schema), wrapper) ? wrapper : undefined;
}
