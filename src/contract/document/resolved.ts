import type { OpenAPIV3 } from 'openapi-types';
import type { ContractSchema } from '../schema/schema.js';
import { ContractError } from './contract-error.js';

export type Place = (...rest: (string | number)[]) => string;

/** The parser leaves only references that lead in a circle. */
export function resolvedNode<Node extends object>(
  node: Node | OpenAPIV3.ReferenceObject,
  place: string,
): Node {
  if ('$ref' in node) {
    throw new ContractError(`${place}: a reference that leads to itself is not supported.`);
  }
  return node;
}

export function schemaOf(schema: OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject): ContractSchema {
  // schema.ts refuses what does not fit.
  return schema as object as ContractSchema;
}
