/**
 * Helps to read a document whose references are resolved: what is left of them, and the types of its schemas.
 */
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError } from '../../schema/contract-error.js';
import type { ContractSchema } from '../../schema/schema.js';

/**
 * Says where something stands in the YAML, by its path below a fixed node of the document, such as an
 * operation.
 */
export type Place = (...rest: (string | number)[]) => string;

/**
 * @returns the node, which is not a reference
 * @throws {ContractError} if it is one: those that are left in a resolved document lead in a circle
 */
export function resolvedNode<Node extends object>(
  node: Node | OpenAPIV3.ReferenceObject,
  place: string,
): Node {
  if ('$ref' in node) {
    throw new ContractError(
      `${place}: a reference that leads to itself is not supported: write it without the circle.`,
    );
  }
  return node;
}

export function schemaOf(schema: OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject): ContractSchema {
  // The two types differ in keywords that schema.ts refuses when it compiles the schema.
  return schema as object as ContractSchema;
}
