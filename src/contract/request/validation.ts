/**
 * What a request must fit: the schemas of one operation, compiled at the start. Path and query come as text
 * and are read as numbers if their schemas say so; a body is JSON already, and nothing in it is converted.
 */
import type { FastifySchemaCompiler } from 'fastify';
import type { Operation } from '../document/operations.js';
import { compileHeaderParameters } from './header-parameters.js';
import { compileParameters } from './parameter-values.js';
import { compileValue } from './value-check.js';

export interface RequestChecks {
  readonly validatorCompiler: FastifySchemaCompiler<unknown>;
  /** Reads header and cookie parameters. Undefined if the operation has none. */
  readonly readHeaders: ReturnType<typeof compileHeaderParameters>;
}

/**
 * Compiles the checks of an operation's parameters and body.
 *
 * @throws {ContractError} if a schema would go unchecked
 */
export function compileRequest(operation: Operation): RequestChecks {
  const { id, requestBody } = operation;
  const parts: Readonly<Record<string, unknown>> = {
    params: compileParameters(operation, 'path'),
    querystring: compileParameters(operation, 'query'),
    // readHeaders validates the header, because Fastify knows its fields by their names in lower case only.
    headers: () => true,
  };
  const bodies = new Map(
    Array.from(requestBody?.content ?? [], ([mediaType, { schema, place }]) => [
      mediaType,
      compileValue(schema, 'body', `${place}: ${id}, body`),
    ]),
  );
  return {
    // "as never" is true of every part: Fastify asks only for those that the operation has, so there is a
    // function, and calls it with the value of that part. No type of Fastify's says which values these are.
    validatorCompiler: ({ httpPart, contentType = '' }) =>
      (httpPart === 'body' ? bodies.get(contentType) : parts[String(httpPart)]) as never,
    readHeaders: compileHeaderParameters(operation),
  };
}
