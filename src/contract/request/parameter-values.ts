import { ContractError } from '../document/contract-error.js';
import type { Operation } from '../document/operations.js';
import type { Parameter, ParameterPart } from '../document/parameters.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { ContractSchema } from '../schema/schema.js';
import type { Texts } from './query.js';
import { InvalidRequestError } from './request-errors.js';
import { readTexts } from './text-values.js';
import { compileValue, type Validated, within } from './value-check.js';

/** The texts of the parameters in one part of a request, by their names. */
export type PartTexts = Readonly<Record<string, Texts | undefined>>;

/**
 * Makes a function that turns the texts of one part of a request into values: it reads each text by the type
 * of its schema, checks the value, and fills in defaults.
 *
 * @throws {ContractError} if a schema would go unchecked, or a default does not fit its schema
 */
export function compileParameters(
  { id, parameters }: Operation,
  part: ParameterPart,
): (texts: PartTexts) => Validated<JsonObject> {
  const checks = parameters
    .filter((parameter) => parameter.in === part)
    .map((parameter) => compileParameter(id, parameter));
  return (texts) => {
    const values: JsonObject = {};
    for (const { name, required, where, read, check, makeDefault } of checks) {
      // A parameter may be called `toString`, which Fastify's empty query inherits.
      const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
      if (text === undefined) {
        if (required) return { error: new InvalidRequestError(`${where} is missing.`) };
        if (makeDefault !== undefined) values[name] = makeDefault();
        continue;
      }
      const value = read(text);
      if (value === undefined)
        return { error: new InvalidRequestError(`${where} must not come more than once.`) };
      const outcome = check(value);
      if ('error' in outcome) return outcome;
      values[name] = outcome.value;
    }
    return { value: values };
  };
}

function compileParameter(id: string, parameter: Parameter) {
  const { name, in: part, required, place, schema: withDefault } = parameter;
  const where = `${part}/${name}`;
  const fault = `${place}: ${id}, ${where}`;
  const { default: _, ...schema } = withDefault;
  const read = within(fault, () => readTexts({ ...parameter, schema }));
  const check = compileValue(schema, where, fault);
  const makeDefault = 'default' in withDefault ? compileDefault(id, parameter, schema) : undefined;
  return { name, required, where, read, check, makeDefault };
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
  const outcome = compileValue(schema, 'the default', fault)(defaultOf(withDefault));
  if ('error' in outcome) throw new ContractError(`${fault}: ${outcome.error.message}`);
  const { value } = outcome;
  return Array.isArray(value) ? () => [...value] : () => value;
}

/** The default as `parseJson` would read it: integers are bigints, and no digit is lost. */
function defaultOf({ default: written, 'x-exact-default': digits }: ContractSchema): JsonValue {
  if (!Array.isArray(written)) return exactly(written, digits);
  return written.map((item, index) => exactly(item, Array.isArray(digits) ? digits[index] : undefined));
}

function exactly(written: unknown, digits: unknown): JsonValue {
  if (typeof written !== 'number' || !Number.isInteger(written)) {
    // The YAML parser makes only values of JSON.
    return written as JsonValue;
  }
  return BigInt(typeof digits === 'string' ? digits : written);
}
