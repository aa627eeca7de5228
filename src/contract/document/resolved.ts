import type { OpenAPIV3 } from 'openapi-types';
import type { ContractSchema } from '../schema/schema.js';
import { ContractError } from './contract-error.js';

export type Place = (...rest: (string | number)[]) => string;

/** The validator leaves only references into other documents. */
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
  // schema.ts refuses what does not fit.
  return schema as object as ContractSchema;
}
