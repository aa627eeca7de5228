import type { FastifySchemaCompiler } from 'fastify';
import { toHandlerValues } from './handler-values.js';
import type { JsonObject } from './json.js';
import { InvalidRequestError } from './request-errors.js';
import { type ContractSchema, compileSchema } from './schema.js';
import { readText } from './text-values.js';

/** What a person calls the part of a request that Fastify calls `querystring` or `params`. */
const partNames: Readonly<Record<string, string>> = { body: 'body', querystring: 'query', params: 'path' };

/**
 * Fastify's validator compiler: one schema and one part of a request → a function that either returns the
 * values for the handler or says what is wrong. Bodies are taken as they are; text is read by its type.
 */
export const compileValidator: FastifySchemaCompiler<ContractSchema> = ({ schema, httpPart = '' }) => {
  const part = partNames[httpPart];
  if (part === undefined)
    throw new Error(`parameters in ${httpPart} are not supported: use the query or the path`);
  const read = httpPart === 'body' ? (value: JsonObject) => value : readTexts(schema);
  const misfitOf = compileSchema(schema);
  const toHandler = toHandlerValues(schema) ?? ((value) => value);
  return (input: JsonObject) => {
    const value = read(input);
    const misfit = misfitOf(value);
    return misfit === undefined
      ? { value: toHandler(value) }
      : { error: new InvalidRequestError(`${part}${misfit.pointer} ${misfit.message}.`) };
  };
};

/** Reads the parameters that the contract names, and leaves out all others. */
function readTexts({ properties = {} }: ContractSchema): (texts: JsonObject) => JsonObject {
  const readers = Object.entries(properties).map(([name, schema]) => ({ name, read: readText(schema) }));
  return (texts) => {
    const values: JsonObject = {};
    for (const { name, read } of readers) {
      const text = texts[name];
      // A parameter that came twice is an array, and fits no schema.
      if (text !== undefined) values[name] = typeof text === 'string' ? read(text) : text;
    }
    return values;
  };
}
