/**
 * Compares answers with the document, if `CHECK_ANSWERS` is on. Codegen compiles the same checks, so that a
 * response that nobody could check or write is refused with the place in the YAML.
 */
import { ContractError, messageOf } from '../document/contract-error.js';
import type { Operation } from '../document/operations.js';
import type { Response } from '../document/responses.js';
import type { JsonValue } from '../json.js';
import { exactJson } from '../schema/exact-json.js';
import { unknownMemberRemoval } from '../schema/known-members.js';
import { type ContractSchema, compileSchema, type Misfit } from '../schema/schema.js';

class UndocumentedAnswerError extends Error {
  override readonly name = 'UndocumentedAnswerError';
}

/** Compares an answer with the document. It throws an UndocumentedAnswerError if they differ. */
export type CheckAnswer = (status: number, headers: Readonly<Record<string, unknown>>, body: unknown) => void;

/**
 * Makes the check of an operation's answers. It looks at the values before they are serialized, because the
 * serializer would hide faults: it drops unknown members, and truncates fractions.
 *
 * @throws {ContractError} if a schema would go unchecked, or its values could not be written
 */
export function compileAnswers({ id, responses }: Operation): CheckAnswer {
  const misfits = new Map(
    Array.from(new Set(responses.values()), (response) => [response, compileBody(id, response)]),
  );
  return (status, headers, body) => {
    const response = responses.get(status);
    const fail = (what: string): never => {
      throw new UndocumentedAnswerError(`${id} ${status}: ${what}.`);
    };
    if (response === undefined) return fail('the contract does not document this status');
    const sent = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    const absent = response.requiredHeaders.find((name) => !sent.has(name.toLowerCase()));
    if (absent !== undefined) fail(`the header ${absent} is missing`);
    const misfit = misfits.get(response)?.(body);
    if (misfit !== undefined) fail(`body${misfit.pointer} ${misfit.message}`);
  };
}

function compileBody(id: string, { key, content, place }: Response): (body: unknown) => Misfit | undefined {
  if (content === undefined) {
    return (body) => (body === undefined ? undefined : { pointer: '', message: 'is not documented' });
  }
  const { schema } = content;
  try {
    refuseUnwritable(schema);
    const misfitOf = compileSchema(schema, 'response');
    const removeUnknownMembers = unknownMemberRemoval([schema]);
    return (body) => {
      const value = asParsed(body);
      const misfit = misfitOf(value);
      if (misfit !== undefined || removeUnknownMembers === undefined) return misfit;
      const given = exactJson(value);
      // `asParsed` has made a copy, and what fits a schema is a value of JSON.
      removeUnknownMembers(value as JsonValue);
      const named = exactJson(value);
      if (named === given) return undefined;
      return { pointer: '', message: `has more members than the contract names: ${named} of ${given}` };
    };
  } catch (error) {
    throw new ContractError(`${place}: ${id} ${key}, body: ${messageOf(error)}.`);
  }
}

/** @throws {Error} if the serializer, fast-json-stringify, could not write the values of this schema */
function refuseUnwritable(schema: ContractSchema, inChoice = false): void {
  // The serializer validates a value to find its branch of a choice, and takes no bigint for an integer
  // there.
  if (inChoice && schema.type === 'integer' && schema.format === 'int64') {
    throw new Error(
      'int64 is not supported within "anyOf" and "oneOf" of a response: it could not be written',
    );
  }
  const { properties = {}, additionalProperties, items, allOf = [], anyOf = [], oneOf = [] } = schema;
  const inherited = Object.keys(properties).find((name) => name in Object.prototype);
  if (inherited !== undefined) {
    throw new Error(`a member "${inherited}" is not supported in a response: every object has one unasked`);
  }
  for (const part of [...Object.values(properties), additionalProperties, items, ...allOf]) {
    if (typeof part === 'object') refuseUnwritable(part, inChoice);
  }
  for (const part of [...anyOf, ...oneOf]) refuseUnwritable(part, true);
}

/** A copy of the value as `parseJson` would read it from the answer, which is what `compileSchema` expects. */
function asParsed(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(asParsed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, asParsed(member)]));
}
