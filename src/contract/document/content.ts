/** Reads the `content` of a body: its media types, all of them JSON, and their schemas. */
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError } from '../../schema/contract-error.js';
import type { ContractSchema } from '../../schema/schema.js';
import { type Place, schemaOf } from './resolved.js';

/** The body of a request or of an answer. */
export interface Content {
  readonly schema: ContractSchema;
  /** Where the schema stands in the YAML. */
  readonly place: string;
}

/** The media types whose bodies are JSON (RFC 6839, section 3.1). */
const jsonType = /^(?:application\/json|[a-z]+\/[a-z0-9!#$&^_.-]+\+json)$/;

/**
 * @returns the schema of each media type
 * @throws {ContractError} if a media type is not JSON or has no schema, or if there is none
 */
export function jsonContentOf(
  content: Readonly<Record<string, OpenAPIV3.MediaTypeObject>>,
  placeIn: Place,
): ReadonlyMap<string, Content> {
  const faults: string[] = [];
  const types = Object.entries(content).flatMap(([mediaType, { schema }]) => {
    if (!jsonType.test(mediaType)) {
      const instead = 'name it application/json, or by a type that ends in "+json"';
      faults.push(`${placeIn(mediaType)}: a body must be JSON: ${instead}.`);
    } else if (schema === undefined) {
      faults.push(`${placeIn(mediaType)}: the "schema" of the body is missing: add it.`);
    } else return [[mediaType, { schema: schemaOf(schema), place: placeIn(mediaType, 'schema') }] as const];
    return [];
  });
  if (Object.keys(content).length === 0)
    faults.push(`${placeIn()}: the media type is missing: add application/json.`);
  if (faults.length > 0) throw new ContractError(faults);
  return new Map(types);
}
