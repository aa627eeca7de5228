/** The form of a schema behind the reader of documents, and what a schema says together with its parts. */
import { type NumericSchema, typesOf } from './numbers.js';

export { typesOf };

/**
 * A schema in the terms of JSON Schema 2020-12, whose references are resolved, and whose integers are bigints. It
 * may contain itself, as an object of JavaScript.
 */
export interface ContractSchema extends NumericSchema {
  readonly properties?: Readonly<Record<string, ContractSchema>>;
  readonly patternProperties?: Readonly<Record<string, ContractSchema>>;
  readonly additionalProperties?: boolean | ContractSchema;
  readonly unevaluatedProperties?: boolean | ContractSchema;
  readonly dependentSchemas?: Readonly<Record<string, ContractSchema>>;
  readonly items?: ContractSchema;
  readonly prefixItems?: readonly ContractSchema[];
  readonly allOf?: readonly ContractSchema[];
  readonly anyOf?: readonly ContractSchema[];
  readonly oneOf?: readonly ContractSchema[];
  readonly not?: ContractSchema;
  readonly if?: ContractSchema;
  readonly then?: ContractSchema;
  readonly else?: ContractSchema;
  readonly [keyword: string]: unknown;
}

/** @returns the schema, and all that `allOf` adds to it: a value must fit each of them */
export function withAllOf(schema: ContractSchema): ContractSchema[] {
  return [schema, ...(schema.allOf ?? []).flatMap(withAllOf)];
}

/**
 * @returns the schema, and all that `allOf`, alternatives and conditions add to it: a value may have the
 * members of any of them
 */
export function subschemasOf(schema: ContractSchema): ContractSchema[] {
  const found = new Set<ContractSchema>();
  const visit = (part: ContractSchema): void => {
    // A document may write a schema that is its own alternative, which `compileSchema` refuses.
    if (found.has(part)) return;
    found.add(part);
    const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = part;
    const ofCondition = [part.then, part.else].filter((below) => below !== undefined);
    for (const below of [...allOf, ...anyOf, ...oneOf, ...ofCondition, ...Object.values(dependentSchemas)])
      visit(below);
  };
  visit(schema);
  return [...found];
}

/**
 * @returns the schema of a member; undefined if the schema has none. It ignores what the map inherits,
 * because a member may be called `toString`
 */
export function ownSchema({ properties = {} }: ContractSchema, name: string): ContractSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
