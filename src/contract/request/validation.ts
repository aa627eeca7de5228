import type { FastifySchemaCompiler } from 'fastify';
import type { Operation } from '../document/operations.js';
import { compileHeaderParameters } from './header-parameters.js';
import { compileParameters } from './parameter-values.js';
import { compileValue } from './value-check.js';

export interface RequestChecks {
  readonly validatorCompiler: FastifySchemaCompiler<unknown>;
  /** Also reads cookies. */
  readonly readHeaders: ReturnType<typeof compileHeaderParameters>;
}

/** @throws {ContractError} if a schema would go unchecked */
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
    // Fastify asks only for existing parts, and does not know their types.
    validatorCompiler: ({ httpPart, contentType = '' }) =>
      (httpPart === 'body' ? bodies.get(contentType) : parts[String(httpPart)]) as never,
    readHeaders: compileHeaderParameters(operation),
  };
}
