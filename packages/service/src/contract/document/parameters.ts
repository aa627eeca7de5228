/**
 * Reads the parameters of an operation, and refuses those that a request could not send, or this server not
 * read.
 */
import { ContractError, type Node, readPart } from '../../../../exact-json/index.js';
import { type ContractSchema, subschemasOf, typesOf } from '../../schema/schema.js';
import type { SchemaReader } from '../../schema/schema-reader.js';

export interface Parameter {
  /** The name as it is written in the YAML, also of a header, whose case does not matter. */
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly schema: ContractSchema;
  /** Whether it may be a list, whose items may come as several texts. Only a query has such parameters. */
  readonly isList: boolean;
  /** Whether a list is sent as `tag=a&tag=b` instead of `tag=a,b`. */
  readonly exploded: boolean;
  /** Where it stands in the YAML. */
  readonly place: string;
  /** Where the `default` of its schema stands, if it has one. */
  readonly defaultPlace: string;
}

export type ParameterLocation = keyof typeof styles;

/**
 * The default of "style" for each part of a request (OpenAPI 3.0.3, "Parameter Object"). No other one is
 * supported.
 */
const styles = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

/** Header parameters that OpenAPI ignores (3.0.3, "Parameter Object"), and what says it instead. */
const saidElsewhere: ReadonlyMap<string, string> = new Map([
  ['accept', 'the "content" of each response'],
  ['content-type', 'the "content" of the request body'],
  ['authorization', '"security"'],
]);

/** The names that a header or a cookie can have (RFC 9110, section 5.6.2). */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Reads the parameters of an operation. Its own ones override those of its path (OpenAPI 3.0.3, "Operation
 * Object").
 *
 * @param path the path as it is written, which names its parameters
 * @param item the path item
 * @throws {ContractError} if a parameter is not supported, or if the path's template names others
 */
export function parametersOf(path: string, item: Node, operation: Node, schemaOf: SchemaReader): Parameter[] {
  const written = [item, operation].flatMap((node) => readParameters(node, schemaOf));
  const parameters = [...new Map(written.map((one) => [keyOf(one), one])).values()];
  const inPath = new Set(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name));
  const inTemplate = new Set(Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name));
  const unpaired = [...inPath].filter((name) => !inTemplate.has(name));
  unpaired.push(...[...inTemplate].filter((name) => !inPath.has(name)));
  if (unpaired.length > 0) {
    throw new ContractError(
      `${operation.place}: ${path} and the parameters in the path differ in ${unpaired.join(', ')}: name the same in both.`,
    );
  }
  return parameters;
}

function readParameters(node: Node, schemaOf: SchemaReader): Parameter[] {
  const faults: string[] = [];
  const parameters = node
    .list('parameters')
    .flatMap((parameter) => readPart(faults, () => readParameter(parameter, schemaOf)) ?? []);
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

/**
 * Returns the same text for the same parameter. The case of a header's name does not matter (RFC 9110,
 * section 5.1).
 */
function keyOf({ name, in: part }: Parameter): string {
  return `${part} ${part === 'header' ? name.toLowerCase() : name}`;
}

function readParameter(parameter: Node, schemaOf: SchemaReader): Parameter {
  const { place } = parameter.use;
  const name = parameter.text('name') ?? '';
  // The document is valid, so this is one of the four parts, or the whole query of 3.2.
  const part = parameter.text('in') as ParameterLocation;
  const schema = parameter.at('schema');
  const elsewhere = part === 'header' ? saidElsewhere.get(name.toLowerCase()) : undefined;
  if (elsewhere !== undefined) {
    throw new ContractError(
      `${place}: OpenAPI ignores a header parameter ${name}: take it away, ${elsewhere} says it.`,
    );
  }
  // The handler's object of values would take it for its prototype.
  if (name === '__proto__') {
    throw new ContractError(`${place}: a parameter cannot be called "__proto__": give it another name.`);
  }
  if ((part === 'header' || part === 'cookie') && !token.test(name)) {
    throw new ContractError(`${place}: a ${part} cannot be called "${name}": write a token (RFC 9110).`);
  }
  const style = parameter.text('style') ?? styles[part];
  if (schema === undefined || style !== styles[part] || parameter.flag('allowEmptyValue')) {
    throw new ContractError(
      `${place}: the parameter ${name} needs a "schema", no "allowEmptyValue", and in the ${part} no "style" but "${styles[part]}".`,
    );
  }
  const read = schemaOf(schema);
  return {
    name,
    in: part,
    required: parameter.flag('required'),
    isList: part === 'query' && subschemasOf(read).some((one) => typesOf(one).includes('array')),
    schema: read,
    exploded: parameter.at('explode') === undefined ? style === 'form' : parameter.flag('explode'),
    place,
    defaultPlace: schema.at('default')?.place ?? place,
  };
}
