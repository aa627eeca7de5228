import type { FastifySchemaCompiler } from 'fastify';
import { compileHeaderParameters } from './header-parameters.js';
import type { Operation } from './operations.js';
import { compileParameters } from './parameter-values.js';
import { compileValue } from './value-check.js';

export interface RequestChecks {
  /** Validates the parts of a request that Fastify knows. */
  readonly validatorCompiler: FastifySchemaCompiler<unknown>;
  /** Reads and validates header and cookie parameters; undefined if the operation has none. */
  readonly readHeaders: ReturnType<typeof compileHeaderParameters>;
}

/**
 * Compiles the validation of an operation's requests. Bodies are not coerced; parameters are read by their
 * types.
 *
 * @throws {ContractError} if a schema would go unchecked
 */
export function compileRequest(operation: Operation): RequestChecks {
  const { id, requestBody } = operation;
  const parts: Readonly<Record<string, unknown>> = {
    params: compileParameters(operation, 'path'),
    querystring: compileParameters(operation, 'query'),
    // readHeaders validates them, because Fastify lower-cases their names.
    headers: () => true,
  };
  const bodies = new Map(
    Array.from(requestBody?.content ?? [], ([mediaType, { schema, place }]) => [
      mediaType,
      compileValue(schema, 'body', `${place}: ${id}, body`),
    ]),
  );
  return {
    // Fastify asks only for parts that the operation has, and does not know their types.
    validatorCompiler: ({ httpPart, contentType = '' }) =>
      (httpPart === 'body' ? bodies.get(contentType) : parts[String(httpPart)]) as never,
    readHeaders: compileHeaderParameters(operation),
  };
}
