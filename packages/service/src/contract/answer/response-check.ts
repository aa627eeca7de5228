/**
 * Compares answers with the document, if `CHECK_ANSWERS` is on.
 *
 * The compiler has compared the types of an answer, but not its values: a name may be too long, or a text may
 * not have its format. Such a fault would reach clients unnoticed, and others would be hidden, because the
 * serializer drops unknown members, and cuts fractions off. So a check looks at the value before it is
 * serialized:
 *
 * 1. Is the status documented, and does the answer have the headers that are required?
 * 2. Does the value have only what JSON has, and only members that the contract names (`violationOfPlain`)?
 * 3. Does it fit its schema, as a request would have to (schema/schema.ts)?
 *
 * For example, a handler answers `{ name: 'Fern', colour: 'green' }`. Without the check, the client gets the
 * name only. With it, the answer is a 500, and the log says "createPlant 200: body/colour is not a member
 * that the contract has."
 *
 * The cost: each answer is looked at twice more, so tests and `npm run dev` switch it on, and production need
 * not. Codegen compiles the same checks, so that a response that nobody could check or write is refused with
 * the place in the YAML.
 */
import { ContractError, messageOf, pointerTo } from '../../../../exact-json/index.js';
import {
  type ContractSchema,
  compileSchema,
  ownSchema,
  sentenceOf,
  subschemasOf,
  typesOf,
  type Violation,
} from '../../schema/schema.js';
import type { Operation } from '../document/operations.js';
import type { Response } from '../document/responses.js';
import { refuseUnwritable } from './serializer-schema.js';

/** An answer differs from the document, which is a fault of the service, so the client gets a 500. */
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
  const violations = new Map(
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
    const violation = violations.get(response)?.(body);
    if (violation !== undefined) fail(`body${violation.pointer} ${sentenceOf(violation)}`);
  };
}

function compileBody(
  id: string,
  { key, content, place }: Response,
): (body: unknown) => Violation | undefined {
  if (content === undefined) {
    return (body) => (body === undefined ? undefined : { pointer: '', message: 'is not documented' });
  }
  const { schema } = content;
  try {
    refuseUnwritable(schema);
    const violationOf = compileSchema(schema, 'response');
    return (body) => violationOfPlain([schema], body, '') ?? violationOf(asParsed(body));
  } catch (error) {
    throw new ContractError(`${place}: ${id} ${key}, body: ${messageOf(error)}.`);
  }
}

/**
 * Finds what only values of a program can have, and Ajv does not look for: undefined members, instances of
 * classes, bigints where a number belongs, and members that no schema names.
 *
 * @param schemas all schemas that the value must or may fit
 */
function violationOfPlain(
  schemas: readonly ContractSchema[],
  value: unknown,
  pointer: string,
): Violation | undefined {
  const parts = schemas.flatMap(subschemasOf);
  const kind = parts.find((part) => typesOf(part).includes('integer'))?.format;
  if (kind === 'int64' && typeof value === 'number')
    return { pointer, message: 'must be a bigint, not a number' };
  if (kind === 'int32' && typeof value === 'bigint')
    return { pointer, message: 'must be a number, not a bigint' };
  if (Array.isArray(value)) {
    const items = parts.map((part) => part.items).filter((part) => part !== undefined);
    return firstViolation(value.entries(), ([index, item]) =>
      violationOfPlain(items, item, `${pointer}/${index}`),
    );
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!isPlain(value)) return { pointer, message: `must be a plain object, not a ${value.constructor.name}` };
  return firstViolation(Object.entries(value), ([name, member]) => {
    const at = pointerTo(pointer, name);
    if (member === undefined) return { pointer: at, message: 'is undefined: leave the member out' };
    const named = parts.map((part) => ownSchema(part, name)).filter((part) => part !== undefined);
    const others = parts.flatMap(({ additionalProperties: other = false }) =>
      other === false ? [] : [other],
    );
    if (named.length === 0 && others.length === 0) {
      return { pointer: at, message: 'is not a member that the contract has' };
    }
    return violationOfPlain(named.length > 0 ? named : others.filter(isSchema), member, at);
  });
}

function isSchema(value: true | ContractSchema): value is ContractSchema {
  return typeof value === 'object';
}

function firstViolation<Item>(
  items: Iterable<Item>,
  violationOf: (item: Item) => Violation | undefined,
): Violation | undefined {
  for (const item of items) {
    const violation = violationOf(item);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @returns the value as `parseJson` would read it from the answer, which is what `compileSchema` expects */
function asParsed(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(asParsed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asParsed(member)]));
}
