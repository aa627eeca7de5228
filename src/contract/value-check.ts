import { ContractError, messageOf } from './contract-error.js';
import { toHandlerValues } from './handler-values.js';
import type { JsonValue } from './json.js';
import { unknownMemberRemoval } from './known-members.js';
import { InvalidRequestError } from './request-errors.js';
import { type ContractSchema, compileSchema } from './schema.js';

/** The result of a validation for Fastify: the value for the handler, or the error. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: InvalidRequestError };

/**
 * Compiles the validation of a schema, which also converts values for the handler.
 *
 * @param where the name of the value in messages to the client
 * @throws {ContractError} beginning with `fault`, if the schema would go unchecked
 */
export function compileValue(
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

/** Adds the part of the operation to the error of `compile`. */
export function within<Result>(fault: string, compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    throw new ContractError(`${fault}: ${messageOf(error)}.`);
  }
}
