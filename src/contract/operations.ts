import type { OpenAPIV3 } from 'openapi-types';
import { type Content, jsonContentOf, type Place, resolvedNode, schemaOf } from './content.js';
import { ContractError } from './contract-error.js';
import { type Response, responsesOf } from './responses.js';
import type { ContractSchema } from './schema.js';
import { type Requirement, requirementsOf } from './security.js';

/** What the YAML says about one operation, as far as routing needs it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** The alternatives among which a caller passes one; none for a public operation. */
  readonly security: readonly Requirement[];
  readonly parameters: readonly Parameter[];
  readonly requestBody: RequestBody | undefined;
  /** The documented answer of each status, be it by its own number, its range or `default`. */
  readonly responses: ReadonlyMap<number, Response>;
  /** Where it stands in the file. */
  readonly place: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: ContractSchema;
  readonly place: string;
}

export interface RequestBody {
  readonly required: boolean;
  /** By media type, in the order of the document. */
  readonly content: ReadonlyMap<string, Content>;
  /** The largest body in bytes, and how deep its arrays and objects may nest: `x-limits` in the YAML. */
  readonly limits: { readonly bytes: number; readonly depth: number };
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
/** JSON is read, checked and converted by recursion. Node.js has stack for some four times as many levels. */
const deepest = 1000;

/**
 * The operations of a document whose references are resolved, with the place of each in the file.
 *
 * @throws {ContractError} where one asks for what this server does not do
 */
export function operationsOf(
  document: OpenAPIV3.Document,
  placeIn: (path: readonly (string | number)[]) => string,
): Operation[] {
  const operations = Object.entries(document.paths).flatMap(([path, item = {}]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const place: Place = (...rest) => placeIn(['paths', path, method, ...rest]);
      const placeInPath: Place = (...rest) => placeIn(['paths', path, ...rest]);
      const { operationId: id } = operation;
      if (id === undefined) throw new ContractError(`${place()}: the operation needs an operationId.`);
      return {
        id,
        method: method.toUpperCase(),
        path,
        tags: operation.tags ?? [],
        security: requirementsOf(
          operation.security ?? document.security ?? [],
          document.components?.securitySchemes ?? {},
          place('security'),
        ),
        parameters: parametersOf(
          path,
          [...readParameters(item.parameters, placeInPath), ...readParameters(operation.parameters, place)],
          place(),
        ),
        requestBody: requestBodyOf(operation.requestBody, place),
        responses: responsesOf(operation.responses, place),
        place: place(),
      };
    }),
  );
  for (const [index, { id, place }] of operations.entries()) {
    const first = operations.findIndex((operation) => operation.id === id);
    if (first !== index) {
      throw new ContractError(`${place}: ${operations[first]?.place} has the operationId ${id}, too.`);
    }
  }
  return operations;
}

/** A parameter of the operation takes the place of the path's (OpenAPI 3.0.3, "Operation Object"). */
function parametersOf(path: string, all: readonly Parameter[], place: string): Parameter[] {
  const parameters = [
    ...new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values(),
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

function readParameters(
  parameters: readonly (OpenAPIV3.ParameterObject | OpenAPIV3.ReferenceObject)[] = [],
  placeIn: Place,
): Parameter[] {
  return parameters.map((written, index) => {
    const place = placeIn('parameters', index);
    const parameter = resolvedNode(written, place);
    const { name, in: part, required = false, schema, style, allowEmptyValue } = parameter;
    if (part !== 'path' && part !== 'query') {
      throw new ContractError(`${place}: parameters in the ${part} are not supported: use path or query.`);
    }
    // Any other spelling would need another reader than the one in text-values.ts.
    const usual = part === 'path' ? 'simple' : 'form';
    if (schema === undefined || (style ?? usual) !== usual || allowEmptyValue === true) {
      throw new ContractError(
        `${place}: the parameter ${name} needs a "schema", and neither "style" nor "allowEmptyValue".`,
      );
    }
    return { name, in: part, required, schema: schemaOf(schema), place };
  });
}

function requestBodyOf(
  written: OpenAPIV3.RequestBodyObject | OpenAPIV3.ReferenceObject | undefined,
  place: Place,
): RequestBody | undefined {
  if (written === undefined) return undefined;
  const body = resolvedNode(written, place('requestBody'));
  const content = jsonContentOf(body.content, (...rest) => place('requestBody', 'content', ...rest));
  const limits: unknown = 'x-limits' in body ? body['x-limits'] : undefined;
  if (!isLimits(limits)) {
    throw new ContractError(
      `${place('requestBody')}: the request body needs "x-limits" with "bytes" and "depth", both positive integers, and "depth" at most ${deepest}.`,
    );
  }
  const { required = false } = body;
  return { required, content, limits };
}

function isLimits(value: unknown): value is RequestBody['limits'] {
  if (typeof value !== 'object' || value === null || !('bytes' in value) || !('depth' in value)) return false;
  const { bytes, depth } = value;
  return (
    [bytes, depth].every((limit) => Number.isInteger(limit) && Number(limit) > 0) && Number(depth) <= deepest
  );
}
