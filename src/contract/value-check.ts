import { ContractError, messageOf } from './contract-error.js';
import { toHandlerValues } from './handler-values.js';
import type { JsonValue } from './json.js';
import { unknownMemberRemoval } from './known-members.js';
import { InvalidRequestError } from './request-errors.js';
import { type ContractSchema, compileSchema } from './schema.js';

/** What Fastify takes from a check: the value for the handler, or what is wrong with the request. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: InvalidRequestError };

/**
 * A check of the values of a schema, which makes of each what the handler gets.
 *
 * @param where what the value is, for whoever sent it
 * @throws {ContractError} which begins with `fault`, if the schema asks for what would go unchecked
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

/** Says in the error of `compile` which part of which operation it is about. */
export function within<Result>(fault: string, compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    throw new ContractError(`${fault}: ${messageOf(error)}.`);
  }
}
