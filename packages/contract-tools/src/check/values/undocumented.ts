/**
 * Finds members in an answer that no schema names. JSON Schema allows them, but a generated client never
 * shows them to its user, so an answer with one says something that the contract does not.
 */
import type { Node } from '../../document/node.js';
import { isArray, isObject, printable, type Value } from '../../values/json.js';
import { identityOf, itemSchemas, layersOf } from '../../values/layers.js';
import { lookAlike } from '../../values/look-alike.js';
import type { Violation } from '../../values/schema.js';

/**
 * @param schemas all that hold for the value
 * @returns a violation for each such member; none where a schema is open, or where there is no schema
 */
export function undocumentedMembers(schemas: readonly Node[], value: Value, pointer = ''): Violation[] {
  const layers = withBranches(schemas);
  const [first] = layers;
  if (isArray(value)) {
    return value.flatMap((item, index) =>
      undocumentedMembers(itemSchemas(layers, index), item, `${pointer}/${index}`),
    );
  }
  // Without a schema, or with an open one, everything is documented.
  const closed = layers.some((layer) => layer.at('properties')) && !layers.some(isOpen);
  if (first === undefined || !isObject(value) || !closed) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const members = layers.flatMap((layer) => layer.at('properties', name) ?? []);
    if (members.length > 0) return undocumentedMembers(members, part, `${pointer}/${name}`);
    const known = layers.flatMap((layer) => layer.at('properties')?.members() ?? []);
    const alike = known.map(([other]) => lookAlike(other, name)).find((words) => words !== '') ?? '';
    const message = `has a member "${printable(name, 40)}" that its schema does not name${alike}`;
    return [{ pointer, keyword: 'properties', path: first.path, message }];
  });
}

/** JSON Schema 2020-12, validation, section 9.4: what is `writeOnly` is never present when a value is retrieved. */
export function writeOnlyMembers(schemas: readonly Node[], value: Value, pointer = ''): Violation[] {
  const layers = withBranches(schemas);
  if (isArray(value))
    return value.flatMap((item, index) =>
      writeOnlyMembers(itemSchemas(layers, index), item, `${pointer}/${index}`),
    );
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, part]) => {
    const members = layers.flatMap((layer) => layer.at('properties', name) ?? []);
    const isHidden =
      members.length > 0 && members.every((one) => layersOf(one).some((layer) => layer.flag('writeOnly')));
    if (!isHidden || part === null) return writeOnlyMembers(members, part, `${pointer}/${name}`);
    const path = members[0]?.path ?? [];
    const message = `has the member "${printable(name, 40)}", which is for requests only`;
    return [{ pointer, keyword: 'writeOnly', path, message }];
  });
}

const combining = ['allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'] as const;

/** Schemas with all that may hold for the same value, each once. */
function withBranches(schemas: readonly Node[]): Node[] {
  const found = new Map<unknown, Node>();
  const visit = (one: Node): void => {
    if (found.has(identityOf(one))) return;
    found.set(identityOf(one), one);
    for (const keyword of combining) {
      const isSingle = keyword === 'then' || keyword === 'else';
      const below = isSingle ? [one.at(keyword) ?? []].flat() : one.list(keyword);
      for (const part of below) visit(part);
    }
  };
  schemas.forEach(visit);
  return [...found.values()];
}

/** `additionalProperties: {…}` and `true` name every member; a pattern may name any. */
function isOpen(schema: Node): boolean {
  return ['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some((keyword) => {
    const others = schema.at(keyword);
    return others !== undefined && others.value !== false;
  });
}
