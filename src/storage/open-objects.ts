import { type ContractSchema, partsOf } from '../contract/schema.js';

/**
 * What a column could not keep of an object in this schema: members that the schema does not name are taken away from a
 * body, and those that `additionalProperties` admits may have any name, U+0000 in it included. Undefined if there is none.
 */
export function openObjectIn(schema: ContractSchema): string | undefined {
  const parts = partsOf(schema);
  if (parts.some(({ additionalProperties }) => additionalProperties)) {
    return 'the members that "additionalProperties" admits';
  }
  const isObject = parts.some(({ type }) => type === 'object');
  const isAnything = parts.every(({ type, enum: values }) => type === undefined && values === undefined);
  if (
    isAnything ||
    (isObject && parts.every(({ properties = {} }) => Object.keys(properties).length === 0))
  ) {
    return 'the members of an object without "properties"';
  }
  const inner = parts.flatMap(({ properties = {}, items }) => [
    ...Object.values(properties),
    ...(items === undefined ? [] : [items]),
  ]);
  return inner.map(openObjectIn).find((found) => found !== undefined);
}
