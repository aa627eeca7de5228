/**
 * What a request must fit: the schemas of one operation, compiled at the start. Parameters come as text and
 * are read as numbers if their schemas say so; a body is JSON already, and nothing in it is converted.
 */
import type { FastifySchemaCompiler } from 'fastify';
import type { Operation } from '../document/operations.js';
import { compileParameters } from './parameter-values.js';
import { compileValue } from './value-check.js';

/** The checks of the requests of one operation. */
export interface RequestChecks {
  /** The validators of the body, for Fastify. It checks nothing else. */
  readonly validatorCompiler: FastifySchemaCompiler<unknown>;
  /** Reads and checks the parameters of a request, or throws an InvalidRequestError. */
  readonly readParameters: ReturnType<typeof compileParameters>;
}

/**
 * Compiles the checks of an operation's parameters and body.
 *
 * @throws {ContractError} if a schema would go unchecked, or the default of a parameter does not fit its
 * schema
 */
export function compileRequest(operation: Operation): RequestChecks {
  const { id, requestBody } = operation;
  const bodies = new Map(
    Array.from(requestBody?.content ?? [], ([mediaType, { schema, place }]) => [
      mediaType,
      compileValue(schema, 'body', `${place}: ${id}, body`),
    ]),
  );
  return {
    // "as never" is true: Fastify asks only for the media types that the operation has, so there is a
    // function, and calls it with a parsed body. No type of Fastify's says which values these are.
    validatorCompiler: ({ httpPart, contentType = '' }) =>
      httpPart === 'body' ? (bodies.get(contentType) as never) : () => true,
    readParameters: compileParameters(operation),
  };
}
