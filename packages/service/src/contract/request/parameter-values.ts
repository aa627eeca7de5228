/**
 * Reads the parameters of a request: texts become the values that a handler gets.
 *
 * Parameters come as texts, but a schema can ask for an integer or a list. Ajv could convert them, but it
 * takes `0x10` and `1e3` for integers, and knows no bigint. So there are four steps:
 *
 * 1. parameter-texts.ts finds the text of each parameter, and undoes its encoding.
 * 2. text-values.ts makes a number or a boolean of it, if the schema asks for one, and the text has its plain
 *    form. If the schema has alternatives of several types, the first reading that fits counts.
 * 3. value-check.ts compares the value with the schema, and converts it to what handlers expect.
 * 4. A parameter that is absent gets its default. A required one is a 400.
 *
 * For example, `?limit=20` is the text "20", then the bigint 20n, which fits, and then the number 20, because
 * the format is int32. `?limit=0x10` stays a text, and is refused with "query/limit must be an integer from 1
 * to 2147483647."
 */
import type { FastifyRequest } from 'fastify';
import { ContractError, type JsonObject, type JsonValue } from '../../../../exact-json/index.js';
import type { ContractSchema } from '../../schema/schema.js';
import type { Operation } from '../document/operations.js';
import type { Parameter, ParameterLocation } from '../document/parameters.js';
import {
  cookieTexts,
  headerTexts,
  type LocatedParameters,
  type ParameterTexts,
  queryTexts,
} from './parameter-texts.js';
import { InvalidRequestError } from './request-errors.js';
import { type Reading, readingsOf } from './text-values.js';
import { compileValue, type Validated, within } from './value-check.js';

/** The values of an operation's parameters, by the part of the request and then by name. */
export interface ParameterValues {
  readonly path: JsonObject;
  readonly query: JsonObject;
  /** Undefined if the operation has no header parameters. */
  readonly header: JsonObject | undefined;
  /** Undefined if the operation has no cookie parameters. */
  readonly cookie: JsonObject | undefined;
}

/**
 * Makes a function that reads the parameters of a request: it turns each text into a value by the type of its
 * schema, checks the value, and fills in defaults. It throws an InvalidRequestError if one does not fit.
 *
 * @throws {ContractError} if a schema would go unchecked, or a default does not fit its schema
 */
export function compileParameters(operation: Operation): (request: FastifyRequest) => ParameterValues {
  const inPath = compileLocation(operation, 'path');
  const inQuery = compileLocation(operation, 'query');
  const inHeader = compileLocation(operation, 'header');
  const inCookie = compileLocation(operation, 'cookie');
  return ({ params, url, raw }) => {
    // The router finds a text for each parameter of the path.
    const pathTexts = params as Readonly<Record<string, string>>;
    const path = inPath.read(inPath.parameters.map(({ name }) => pathTexts[name]));
    const query = inQuery.read(inQuery.parameters.length > 0 ? queryTexts(url, inQuery) : []);
    const header = inHeader.parameters.length > 0 ? inHeader.read(headerTexts(raw, inHeader)) : undefined;
    const cookie =
      inCookie.parameters.length > 0
        ? inCookie.read(cookieTexts(raw.headers.cookie ?? '', inCookie))
        : undefined;
    return { path, query, header, cookie };
  };
}

interface CompiledParameters extends LocatedParameters {
  /** It throws an InvalidRequestError if a text does not fit. */
  read(texts: ParameterTexts): JsonObject;
}

function compileLocation(operation: Operation, location: ParameterLocation): CompiledParameters {
  const parameters = operation.parameters.filter((parameter) => parameter.in === location);
  const checks = parameters.map((parameter) => compileParameter(operation.id, parameter));
  return {
    parameters,
    indexes: new Map(
      parameters.map(({ name }, index) => [location === 'header' ? name.toLowerCase() : name, index]),
    ),
    read(texts) {
      const values: JsonObject = {};
      checks.forEach(({ name, required, where, check, makeDefault }, index) => {
        const text = texts[index];
        if (text !== undefined) values[name] = fitting(check(text));
        else if (required) throw new InvalidRequestError(`${where} is missing.`);
        else if (makeDefault !== undefined) values[name] = makeDefault();
      });
      return values;
    },
  };
}

function fitting(outcome: Validated<JsonValue>): JsonValue {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function compileParameter(id: string, parameter: Parameter) {
  const { name, in: location, required, place, schema: withDefault } = parameter;
  const where = `${location}/${name}`;
  const fault = `${place}: ${id}, ${where}`;
  const schema = withoutDefault(withDefault);
  const readings = within(fault, () => readingsOf({ ...parameter, schema }));
  const check = firstFitting(readings, compileValue(schema, where, fault, 'text'));
  const makeDefault = 'default' in withDefault ? compileDefault(id, parameter, schema) : undefined;
  return { name, required, where, check, makeDefault };
}

/** @returns the same object if there is no default, so that it is compiled once for all parameters that share it */
function withoutDefault(schema: ContractSchema): ContractSchema {
  if (!('default' in schema)) return schema;
  const { default: _, ...others } = schema;
  return others;
}

/** Makes a check of texts by the first reading that fits; if none does, the first one says why. */
function firstFitting(
  [first, ...others]: readonly [Reading, ...Reading[]],
  check: (value: JsonValue) => Validated<JsonValue>,
): (texts: Parameters<Reading>[0]) => Validated<JsonValue> {
  return (texts) => {
    const outcome = check(first(texts));
    if ('value' in outcome) return outcome;
    for (const read of others) {
      const another = check(read(texts));
      if ('value' in another) return another;
    }
    return outcome;
  };
}

/**
 * Makes a function that returns the default. It copies an array, because a handler may change what it gets.
 */
function compileDefault(
  id: string,
  { name, in: part, required, schema: withDefault, defaultPlace }: Parameter,
  schema: ContractSchema,
): () => JsonValue {
  const fault = `${defaultPlace}: ${id}, ${part}/${name}`;
  if (required) {
    throw new ContractError(
      `${fault}: a parameter that is required needs no default: take one of the two away.`,
    );
  }
  const outcome = compileValue(
    schema,
    'the default',
    fault,
  )(
    // What stands in a document is a value of JSON.
    withDefault['default'] as JsonValue,
  );
  if ('error' in outcome) throw new ContractError(`${fault}: ${outcome.error.message}`);
  const { value } = outcome;
  return Array.isArray(value) ? () => [...value] : () => value;
}
