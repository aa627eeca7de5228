/** Reads the `content` of a body: its media types, all of them JSON, and their schemas. */
import { ContractError, type Node } from '../../../../exact-json/index.js';
import type { ContractSchema } from '../../schema/schema.js';
import type { SchemaReader } from '../../schema/schema-reader.js';

/** The body of a request or of an answer. */
export interface Content {
  readonly schema: ContractSchema;
  /** Where the schema stands in the YAML. */
  readonly place: string;
}

/** The media types whose bodies are JSON (RFC 6839, section 3.1). */
const jsonType = /^(?:application\/json|[a-z]+\/[a-z0-9!#$&^_.-]+\+json)$/;

/**
 * @param content the member `content` of the form
 * @returns the schema of each media type
 * @throws {ContractError} if a media type is not JSON or has no schema, or if there is none
 */
export function jsonContentOf(content: Node, schemaOf: SchemaReader): ReadonlyMap<string, Content> {
  const faults: string[] = [];
  const written = content.members();
  const types = written.flatMap(([mediaType, media]) => {
    const schema = media.at('schema');
    if (!jsonType.test(mediaType)) {
      const instead = 'name it application/json, or by a type that ends in "+json"';
      faults.push(`${media.use.place}: a body must be JSON: ${instead}.`);
    } else if (schema === undefined) {
      faults.push(`${media.use.place}: the "schema" of the body is missing: add it.`);
    } else return [[mediaType, { schema: schemaOf(schema), place: schema.use.place }] as const];
    return [];
  });
  if (written.length === 0) faults.push(`${content.place}: the media type is missing: add application/json.`);
  if (faults.length > 0) throw new ContractError(faults);
  return new Map(types);
}
