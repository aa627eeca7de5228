/**
 * The members that a schema names. Others are ignored, as JSON Schema says, so they are removed from a value
 * that was checked, and neither stored nor echoed. Ajv could remove them, too, but it would do so within each
 * branch of `allOf`, and take away what another branch names.
 */
import type { JsonObject, JsonValue } from './json.js';
import { type ContractSchema, ownSchema, partsOf } from './schema.js';

/**
 * Makes a function that removes, in place, the members that no schema names. `additionalProperties` keeps
 * them.
 *
 * @param schemas all schemas that the same value must or may fit
 * @returns undefined if values of these schemas have no members
 */
export function unknownMemberRemoval(
  schemas: readonly ContractSchema[],
): ((value: JsonValue) => void) | undefined {
  const parts = schemas.flatMap(partsOf);
  const items = parts.map((part) => part.items).filter((part) => part !== undefined);
  const itemRemoval = once(() => unknownMemberRemoval(items));
  const cleanMembers = memberRemoval(parts.filter(({ type, properties }) => type === 'object' || properties));
  if (items.length === 0 && cleanMembers === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) {
      const cleanItem = itemRemoval();
      if (cleanItem !== undefined) value.forEach(cleanItem);
    } else if (typeof value === 'object' && value !== null) {
      cleanMembers?.(value);
    }
  };
}

function memberRemoval(objects: readonly ContractSchema[]): ((value: JsonObject) => void) | undefined {
  if (objects.length === 0) return undefined;
  const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)));
  const cleaners = new Map(
    [...names].map((name) => [
      name,
      once(() =>
        unknownMemberRemoval(
          objects.map((object) => ownSchema(object, name)).filter((member) => member !== undefined),
        ),
      ),
    ]),
  );
  const others = objects.map(({ additionalProperties = false }) => additionalProperties).filter(Boolean);
  const otherRemoval = once(() => unknownMemberRemoval(others.filter((other) => typeof other === 'object')));
  return (value) => {
    for (const [name, member] of Object.entries(value)) {
      if (names.has(name)) cleaners.get(name)?.()?.(member);
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
