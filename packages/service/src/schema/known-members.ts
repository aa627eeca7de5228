/**
 * The members that a schema names. Others are ignored, as JSON Schema says, so they are removed from a value
 * that was checked, and neither stored nor echoed. Ajv could remove them, too, but it would do so within each
 * branch of `allOf`, and take away what another branch names.
 */
import type { JsonObject, JsonValue } from '../../../exact-json/index.js';
import { type ContractSchema, ownSchema, subschemasOf, typesOf } from './schema.js';

/**
 * Makes a function that removes, in place, the members that no schema names. `additionalProperties` and its
 * like keep them.
 *
 * @param schemas all schemas that the same value must or may fit
 * @returns undefined if values of these schemas have no members
 */
export function unknownMemberRemoval(
  schemas: readonly ContractSchema[],
): ((value: JsonValue) => void) | undefined {
  const parts = schemas.flatMap(subschemasOf);
  const hasItems = parts.some(({ items, prefixItems }) => items !== undefined || prefixItems !== undefined);
  const itemRemovals = new Map<number, () => ((value: JsonValue) => void) | undefined>();
  const prefixed = Math.max(0, ...parts.map(({ prefixItems = [] }) => prefixItems.length));
  /** All items after the prefixes have the same schemas. */
  const removalAt = (index: number): ((value: JsonValue) => void) | undefined => {
    const known = itemRemovals.get(index) ?? once(() => unknownMemberRemoval(itemSchemas(parts, index)));
    itemRemovals.set(index, known);
    return known();
  };
  const cleanMembers = memberRemoval(
    parts.filter(
      (part) => typesOf(part).includes('object') || (part.properties ?? part.patternProperties) !== undefined,
    ),
  );
  if (!hasItems && cleanMembers === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) {
      if (hasItems) value.forEach((item, index) => void removalAt(Math.min(index, prefixed))?.(item));
    } else if (typeof value === 'object' && value !== null) {
      cleanMembers?.(value);
    }
  };
}

function itemSchemas(parts: readonly ContractSchema[], index: number): ContractSchema[] {
  return parts
    .map(({ prefixItems = [], items }) => prefixItems[index] ?? items)
    .filter((schema) => schema !== undefined);
}

function memberRemoval(objects: readonly ContractSchema[]): ((value: JsonObject) => void) | undefined {
  if (objects.length === 0) return undefined;
  const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)));
  const patterns = objects.flatMap(({ patternProperties = {} }) =>
    Object.entries(patternProperties).map(([pattern, schema]) => [new RegExp(pattern, 'u'), schema] as const),
  );
  const ofPatterns = (name: string): ContractSchema[] =>
    patterns.flatMap(([pattern, schema]) => (pattern.test(name) ? [schema] : []));
  const cleaners = new Map(
    [...names].map((name) => [
      name,
      once(() =>
        unknownMemberRemoval([
          ...objects.map((object) => ownSchema(object, name)).filter((member) => member !== undefined),
          ...ofPatterns(name),
        ]),
      ),
    ]),
  );
  const others = objects
    .flatMap(({ additionalProperties, unevaluatedProperties }) => [
      additionalProperties,
      unevaluatedProperties,
    ])
    .filter((other) => other !== undefined && other !== false);
  const otherRemoval = once(() => unknownMemberRemoval(others.filter((other) => typeof other === 'object')));
  return (value) => {
    for (const [name, member] of Object.entries(value)) {
      const matching = names.has(name) ? [] : ofPatterns(name);
      if (names.has(name)) cleaners.get(name)?.()?.(member);
      else if (matching.length > 0) unknownMemberRemoval(matching)?.(member);
      else if (others.length > 0) otherRemoval()?.(member);
      else delete value[name];
    }
  };
}

/** Makes a value when it is first needed: a schema that contains itself would otherwise have no end. */
function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
