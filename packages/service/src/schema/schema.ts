/**
 * Compiles a schema of the form (packages/contract-tools/src/document/form.ts) into a check of values. Ajv checks what
 * ajv-schema.ts has translated for it.
 */
import type { ErrorObject, SchemaObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { messageOf, pathOf, valueAt } from '../../../exact-json/index.js';
import { type Direction, toAjvDocument } from './ajv-schema.js';
import type { ContractSchema } from './contract-schema.js';
import { distinctItems } from './distinct-items.js';
import { stringFormats } from './formats.js';
import { notANumber, numericKeywords } from './numbers.js';

export { type ContractSchema, ownSchema, subschemasOf, typesOf, withAllOf } from './contract-schema.js';

/** The strict mode makes an unknown keyword or format an error. */
const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  strictTuples: false,
  allowUnionTypes: true,
  allowMatchingProperties: true,
  ownProperties: true,
  keywords: [...numericKeywords, distinctItems],
  // The reader of documents has compared the schemas with the meta-schema.
  validateSchema: false,
  meta: false,
  // It takes half of the time of a compilation, and made no check quicker that was measured.
  code: { optimize: false },
});
for (const [name, check] of stringFormats) ajv.addFormat(name, check);

/** The first thing that is wrong with a value. */
export interface Violation {
  /** A JSON pointer into the value (RFC 6901); empty for the value itself. */
  readonly pointer: string;
  /** The rule that the value breaks, such as "must be string". It continues the name of the value. */
  readonly message: string;
  /** What stands there instead of a number, such as "is a text"; absent if the rule is not of numbers. */
  readonly found?: string;
}

/** @returns the message, and what stands there, if the message does not tell it */
export function sentenceOf({ message, found }: Violation): string {
  return found === undefined ? message : `${message}, and ${found}`;
}

type Check = (value: unknown) => Violation | undefined;

/** The checks that were made before: operations share schemas, such as that of all failures. */
const checks = {
  request: new WeakMap<ContractSchema, Check>(),
  response: new WeakMap<ContractSchema, Check>(),
};

/**
 * Makes a check of values as `parseJson` reads them, with bigints for integers.
 *
 * @param direction whether the values are those of requests or of responses
 * @returns a function that returns what is wrong with a value; undefined if it fits
 * @throws {Error} if a keyword, type or format would go unchecked
 */
export function compileSchema(schema: ContractSchema, direction: Direction = 'request'): Check {
  const known = checks[direction].get(schema);
  if (known !== undefined) return known;
  const validate = compiled(toAjvDocument(schema, direction));
  const check: Check = (value) => {
    if (validate(value)) return undefined;
    // Ajv reports at least one error.
    const [error] = validate.errors as [ErrorObject];
    const { keyword, instancePath: pointer } = error;
    const found = notANumber(keyword, valueAt(value, pathOf(pointer)));
    return { pointer, message: messageFor(error), ...(found !== undefined && { found }) };
  };
  checks[direction].set(schema, check);
  return check;
}

/** @throws {Error} of the strict mode, in words for the author of the document */
function compiled(schema: SchemaObject): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (error) {
    const message = messageOf(error);
    const [, unknown] = /^strict mode: unknown keyword: "(.*)"$/.exec(message) ?? [];
    if (unknown !== undefined)
      throw new Error(`nothing checks the keyword "${unknown}": correct it, or begin it with "x-"`);
    const [, type, keyword] = /missing type "([\w,]+)" for keyword "(\w+)"/.exec(message) ?? [];
    throw keyword === undefined ? error : new Error(`"${keyword}" needs "type: ${type}" beside it`);
  }
}

/** Adds the values of an enum, which Ajv's message does not name, and lists types in words. */
function messageFor({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'type') return `must be ${[params['type']].flat().join(' or ')}`;
  // Ajv has one form of the noun for all numbers.
  if (keyword !== 'enum')
    return String(message)
      .replace(/ 1 (character|item)s$/, ' 1 $1')
      .replace(/ 1 properties$/, ' 1 property');
  const values = [params['allowedValues']].flat().map((value) => JSON.stringify(value));
  return `must be one of ${values.join(', ')}`;
}
