import type { OpenAPIV3 } from 'openapi-types';
import { ContractError } from './contract-error.js';
import type { ContractSchema } from './schema.js';

/** The place in the file of what a path below some node leads to. */
export type Place = (...rest: (string | number)[]) => string;

/** What the validator left unresolved stands in another document. */
export function resolvedNode<Node extends object>(
  node: Node | OpenAPIV3.ReferenceObject,
  place: string,
): Node {
  if ('$ref' in node) {
    throw new ContractError(`${place}: a reference into another document is not supported.`);
  }
  return node;
}

export function schemaOf(schema: OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject): ContractSchema {
  // The same objects, by a type that knows `x-exact-…`; what it does not fit, schema.ts refuses.
  return schema as object as ContractSchema;
}
