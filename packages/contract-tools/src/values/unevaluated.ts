/**
 * Finds the members and items of a value that no schema has looked at (JSON Schema 2020-12, Core, section 11).
 * A schema looks at a member if it names it, by itself or by a schema in `allOf`, in a branch that the value
 * fits, or behind a reference.
 */
import type { Node } from '../document/node.js';
import { isArray, isObject, type Value } from './json.js';
import { patternOf } from './patterns.js';

type Fits = (schema: Node, value: Value) => boolean;

/** The schemas that count for a value: those that hold for it, and those of its branches that it fits. */
function schemasAt(schema: Node, value: Value, fits: Fits, found = new Map<string, Node>()): Node[] {
  if (found.has(schema.key)) return [];
  found.set(schema.key, schema);
  const fitting = [...schema.list('anyOf'), ...schema.list('oneOf')].filter((one) => fits(one, value));
  const condition = schema.at('if');
  const holds = condition !== undefined && fits(condition, value);
  const conditional = [
    ...(holds ? [condition] : []),
    ...(condition === undefined ? [] : [schema.at(holds ? 'then' : 'else') ?? []].flat()),
  ];
  const dependent = (schema.at('dependentSchemas')?.members() ?? [])
    .filter(([name]) => isObject(value) && Object.hasOwn(value, name))
    .map(([, node]) => node);
  for (const one of [...schema.list('allOf'), ...fitting, ...conditional, ...dependent])
    schemasAt(one, value, fits, found);
  return [...found.values()];
}

/** @returns the names of the members that `unevaluatedProperties` of the schema is about */
export function unevaluatedMembers(schema: Node, value: Value, fits: Fits): string[] {
  if (!isObject(value)) return [];
  const schemas = schemasAt(schema, value, fits);
  const isOpen = schemas.some(
    (one) =>
      one.at('additionalProperties') !== undefined ||
      (one.at('unevaluatedProperties') !== undefined && one.key !== schema.key),
  );
  if (isOpen) return [];
  return Object.keys(value).filter((name) => !schemas.some((one) => looksAt(one, name)));
}

function looksAt(schema: Node, name: string): boolean {
  const patterns = schema.at('patternProperties')?.members() ?? [];
  return (
    schema.at('properties', name) !== undefined ||
    patterns.some(([pattern]) => patternOf(pattern)?.test(name) === true)
  );
}

/** @returns the indexes of the items that `unevaluatedItems` of the schema is about */
export function unevaluatedItems(schema: Node, value: Value, fits: Fits): number[] {
  if (!isArray(value)) return [];
  const schemas = schemasAt(schema, value, fits);
  const isOpen = schemas.some(
    (one) =>
      one.at('items') !== undefined || (one.at('unevaluatedItems') !== undefined && one.key !== schema.key),
  );
  if (isOpen) return [];
  const first = Math.max(0, ...schemas.map((one) => one.list('prefixItems').length));
  return value.flatMap((item, index) => {
    const isContained = schemas.some((one) => {
      const contained = one.at('contains');
      return contained !== undefined && fits(contained, item);
    });
    return index < first || isContained ? [] : [index];
  });
}
