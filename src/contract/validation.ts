import type { FastifySchemaCompiler } from 'fastify';
import { ContractError, messageOf } from './contract-error.js';
import { toHandlerValues } from './handler-values.js';
import type { JsonObject, JsonValue } from './json.js';
import { unknownMemberRemoval } from './known-members.js';
import type { Operation } from './operations.js';
import { InvalidRequestError } from './request-errors.js';
import { type ContractSchema, compileSchema } from './schema.js';
import { readText } from './text-values.js';

/** What Fastify takes from a check: the value for the handler, or what is wrong with the request. */
type Outcome<Value> = { readonly value: Value } | { readonly error: InvalidRequestError };

/**
 * The checks of what an operation takes, in the shape of Fastify's validator compiler: one for each part of
 * a request. Bodies are taken as they are; text is read by its type.
 *
 * @throws {ContractError} where a schema asks for what would go unchecked
 */
export function compileRequest({ id, parameters, requestBody }: Operation): FastifySchemaCompiler<unknown> {
  const checkParameters = (part: 'path' | 'query') => {
    const checks = parameters
      .filter((parameter) => parameter.in === part)
      .map(({ name, required, schema, place }) => {
        const where = `${part}/${name}`;
        const fault = `${place}: ${id}, ${where}`;
        return {
          name,
          required,
          where,
          read: within(fault, () => readText(schema)),
          check: compileValue(schema, where, fault),
        };
      });
    return (texts: JsonObject): Outcome<JsonObject> => {
      // What the contract does not name is left out.
      const values: JsonObject = {};
      for (const { name, required, where, read, check } of checks) {
        const text = texts[name];
        if (text === undefined) {
          if (required) return { error: new InvalidRequestError(`${where} is missing.`) };
          continue;
        }
        // A parameter that came twice is an array, and fits no schema.
        const outcome = check(typeof text === 'string' ? read(text) : text);
        if ('error' in outcome) return outcome;
        values[name] = outcome.value;
      }
      return { value: values };
    };
  };
  const path = checkParameters('path');
  const query = checkParameters('query');
  const bodies = new Map(
    Array.from(requestBody?.content ?? [], ([mediaType, { schema, place }]) => [
      mediaType,
      compileValue(schema, 'body', `${place}: ${id}, body`),
    ]),
  );
  // Fastify asks for the parts that the operation has, and does not know their types.
  return ({ httpPart, contentType = '' }) =>
    (httpPart === 'params' ? path : httpPart === 'querystring' ? query : bodies.get(contentType)) as never;
}

function compileValue(
  schema: ContractSchema,
  where: string,
  fault: string,
): (value: JsonValue) => Outcome<JsonValue> {
  const { misfitOf, toHandler } = within(fault, () => ({
    misfitOf: compileSchema(schema),
    toHandler: toHandlerValues(schema) ?? ((value: JsonValue) => value),
  }));
  const removeUnknownMembers = unknownMemberRemoval([schema]);
  return (value) => {
    const misfit = misfitOf(value);
    if (misfit !== undefined) {
      return { error: new InvalidRequestError(`${where}${misfit.pointer} ${misfit.message}.`) };
    }
    removeUnknownMembers?.(value);
    return { value: toHandler(value) };
  };
}

/** Says in the error of `compile` which part of which operation it is about. */
function within<Result>(fault: string, compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    throw new ContractError(`${fault}: ${messageOf(error)}.`);
  }
}
