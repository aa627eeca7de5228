import { type ContractSchema, subschemasOf, typesOf } from '../../schema/schema.js';

const open = ['additionalProperties', 'patternProperties', 'unevaluatedProperties'] as const;

/**
 * Looks for an object whose members have no names in the schema. Validation removes such members, so they
 * would be lost, unless `additionalProperties` admits them: then their names may contain U+0000, which
 * PostgreSQL cannot store.
 *
 * @returns words for the members of such an object, at any depth; undefined if there is none
 */
export function openObjectIn(schema: ContractSchema): string | undefined {
  const parts = subschemasOf(schema);
  const keyword = open.find((one) => parts.some((part) => part[one]));
  if (keyword !== undefined) return `the members that "${keyword}" admits`;
  const isObject = parts.some((part) => typesOf(part).includes('object'));
  const isAnything = parts.every(({ type, enum: values }) => type === undefined && values === undefined);
  if (
    isAnything ||
    (isObject && parts.every(({ properties = {} }) => Object.keys(properties).length === 0))
  ) {
    return 'the members of an object without "properties"';
  }
  const inner = parts.flatMap(({ properties = {}, items, prefixItems = [] }) => [
    ...Object.values(properties),
    ...prefixItems,
    ...(items === undefined ? [] : [items]),
  ]);
  return inner.map(openObjectIn).find((found) => found !== undefined);
}
