import type { FastifySchemaCompiler } from 'fastify';
import { compileHeaderParameters } from './header-parameters.js';
import type { Operation } from './operations.js';
import { compileParameters } from './parameter-values.js';
import { compileValue } from './value-check.js';

export interface RequestChecks {
  /** Checks the parts of a request that Fastify knows. */
  readonly validatorCompiler: FastifySchemaCompiler<unknown>;
  /** Reads and checks the parameters that it does not know; undefined if the operation has none. */
  readonly readHeaders: ReturnType<typeof compileHeaderParameters>;
}

/**
 * The checks of what an operation takes. Bodies are taken as they are; text is read by its type.
 *
 * @throws {ContractError} where a schema asks for what would go unchecked
 */
export function compileRequest(operation: Operation): RequestChecks {
  const { id, requestBody } = operation;
  const parts: Readonly<Record<string, unknown>> = {
    params: compileParameters(operation, 'path'),
    querystring: compileParameters(operation, 'query'),
    // Fastify knows these by other names than the contract: readHeaders checks them.
    headers: () => true,
  };
  const bodies = new Map(
    Array.from(requestBody?.content ?? [], ([mediaType, { schema, place }]) => [
      mediaType,
      compileValue(schema, 'body', `${place}: ${id}, body`),
    ]),
  );
  return {
    // Fastify asks for the parts that the operation has, and does not know their types.
    validatorCompiler: ({ httpPart, contentType = '' }) =>
      (httpPart === 'body' ? bodies.get(contentType) : parts[String(httpPart)]) as never,
    readHeaders: compileHeaderParameters(operation),
  };
}
