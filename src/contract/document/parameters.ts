import type { OpenAPIV3 } from 'openapi-types';
import type { ContractSchema } from '../schema/schema.js';
import { ContractError, readPart } from './contract-error.js';
import { type Place, resolvedNode, schemaOf } from './resolved.js';

export interface Parameter {
  /** Headers keep the YAML's case. */
  readonly name: string;
  readonly in: ParameterPart;
  readonly required: boolean;
  readonly schema: ContractSchema;
  /** `tag=a&tag=b` instead of `tag=a,b`. */
  readonly exploded: boolean;
  readonly place: string;
  readonly defaultPlace: string;
}

export type ParameterPart = keyof typeof styles;

/** OpenAPI 3.0.3, "style". */
const styles = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

/** OpenAPI ignores these header parameters (3.0.3, "Parameter Object"). */
const saidElsewhere: ReadonlyMap<string, string> = new Map([
  ['accept', 'the "content" of each response'],
  ['content-type', 'the "content" of the request body'],
  ['authorization', '"security"'],
]);

/** RFC 9110, section 5.6.2. */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * An operation's parameters override its path's (OpenAPI 3.0.3, "Operation Object").
 *
 * @throws {ContractError} if a parameter is not supported, or the template differs
 */
export function parametersOf(path: string, ofPath: Written, own: Written, place: string): Parameter[] {
  const parameters = [
    ...new Map([...readParameters(ofPath), ...readParameters(own)].map((one) => [keyOf(one), one])).values(),
  ];
  const inPath = new Set(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name));
  const inTemplate = new Set(Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name = '']) => name));
  const unpaired = [...inPath].filter((name) => !inTemplate.has(name));
  unpaired.push(...[...inTemplate].filter((name) => !inPath.has(name)));
  if (unpaired.length > 0) {
    throw new ContractError(
      `${place}: ${path} and the parameters in the path differ in ${unpaired.join(', ')}.`,
    );
  }
  return parameters;
}

interface Written {
  readonly parameters: readonly (OpenAPIV3.ParameterObject | OpenAPIV3.ReferenceObject)[] | undefined;
  readonly placeIn: Place;
}

function readParameters({ parameters: written = [], placeIn }: Written): Parameter[] {
  const faults: string[] = [];
  const parameters = written.flatMap(
    (parameter, index) => readPart(faults, () => readParameter(parameter, index, placeIn)) ?? [],
  );
  if (faults.length > 0) throw new ContractError(faults);
  for (const [index, parameter] of parameters.entries()) {
    const first = parameters.findIndex((other) => keyOf(other) === keyOf(parameter));
    if (first !== index) {
      throw new ContractError(
        `${parameter.place}: ${parameter.name} is the header ${parameters[first]?.name} in other letters: keep one of the two.`,
      );
    }
  }
  return parameters;
}

/** Header names are case-insensitive (RFC 9110, section 5.1). */
function keyOf({ name, in: part }: Parameter): string {
  return `${part} ${part === 'header' ? name.toLowerCase() : name}`;
}

function readParameter(
  written: OpenAPIV3.ParameterObject | OpenAPIV3.ReferenceObject,
  index: number,
  placeIn: Place,
): Parameter {
  const place = placeIn('parameters', index);
  const parameter = resolvedNode(written, place);
  const { name, required = false, schema, style, explode, allowEmptyValue } = parameter;
  // The validator admits no other.
  const part = parameter.in as ParameterPart;
  const elsewhere = part === 'header' ? saidElsewhere.get(name.toLowerCase()) : undefined;
  if (elsewhere !== undefined) {
    throw new ContractError(
      `${place}: OpenAPI ignores a header parameter ${name}: take it away, ${elsewhere} says it.`,
    );
  }
  if ((part === 'header' || part === 'cookie') && !token.test(name)) {
    throw new ContractError(`${place}: a ${part} cannot be called "${name}": write a token (RFC 9110).`);
  }
  if (schema === undefined || (style ?? styles[part]) !== styles[part] || allowEmptyValue === true) {
    throw new ContractError(
      `${place}: the parameter ${name} needs a "schema", no "allowEmptyValue", and in the ${part} no "style" but "${styles[part]}".`,
    );
  }
  return {
    name,
    in: part,
    required,
    schema: schemaOf(schema),
    exploded: explode ?? styles[part] === 'form',
    place,
    defaultPlace: placeIn('parameters', index, 'schema', 'default'),
  };
}
