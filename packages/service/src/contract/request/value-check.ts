/** Checks a value of a request against its schema, and turns it into the value that a handler gets. */
import { ContractError, type JsonValue, messageOf } from '../../../../exact-json/index.js';
import { toHandlerValues } from '../../schema/handler-values.js';
import { unknownMemberRemoval } from '../../schema/known-members.js';
import { type ContractSchema, compileSchema, sentenceOf } from '../../schema/schema.js';
import { InvalidRequestError } from './request-errors.js';

/** The form that Fastify expects of a validator. */
export type Validated<Value> = { readonly value: Value } | { readonly error: InvalidRequestError };

/**
 * Makes a check of values of a request. A value that fits loses its unknown members, and gets the numbers
 * that handlers expect.
 *
 * @param where the name of the value in the message for the client, such as `query/limit`
 * @param fault the beginning of the message of a ContractError
 * @param source what the value is read from. Every parameter is a text, and a message that said so would mislead
 * @throws {ContractError} if the schema would go unchecked
 */
export function compileValue(
  schema: ContractSchema,
  where: string,
  fault: string,
  source: 'json' | 'text' = 'json',
): (value: JsonValue) => Validated<JsonValue> {
  const { violationOf, toHandler } = within(fault, () => ({
    violationOf: compileSchema(schema),
    toHandler: toHandlerValues(schema) ?? ((value: JsonValue) => value),
  }));
  const removeUnknownMembers = unknownMemberRemoval([schema]);
  return (value) => {
    const violation = violationOf(value);
    if (violation !== undefined) {
      const sentence = source === 'json' ? sentenceOf(violation) : violation.message;
      return { error: new InvalidRequestError(`${where}${violation.pointer} ${sentence}.`) };
    }
    removeUnknownMembers?.(value);
    return { value: toHandler(value) };
  };
}

/**
 * Calls `compile`, and adds the place to what it throws.
 *
 * @throws {ContractError} whose message begins with `fault`
 */
export function within<Result>(fault: string, compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    throw new ContractError(`${fault}: ${messageOf(error)}.`);
  }
}
