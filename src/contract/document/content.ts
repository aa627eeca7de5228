import type { OpenAPIV3 } from 'openapi-types';
import type { ContractSchema } from '../schema/schema.js';
import { ContractError } from './contract-error.js';
import { type Place, schemaOf } from './resolved.js';

export interface Content {
  readonly schema: ContractSchema;
  readonly place: string;
}

/** RFC 6839, section 3.1. */
const jsonType = /^(?:application\/json|[a-z]+\/[a-z0-9!#$&^_.-]+\+json)$/;

/** @throws {ContractError} if a media type is not JSON or has no schema */
export function jsonContentOf(
  content: Readonly<Record<string, OpenAPIV3.MediaTypeObject>>,
  placeIn: Place,
): ReadonlyMap<string, Content> {
  const types = Object.entries(content).flatMap(([mediaType, { schema }]) =>
    jsonType.test(mediaType) && schema !== undefined
      ? [[mediaType, { schema: schemaOf(schema), place: placeIn(mediaType, 'schema') }] as const]
      : [],
  );
  if (types.length === 0 || types.length < Object.keys(content).length) {
    throw new ContractError(
      `${placeIn()}: a body must be JSON, with a schema: name it application/json, or by a type that ends in "+json".`,
    );
  }
  return new Map(types);
}
