import type { OpenAPIV3 } from 'openapi-types';
import { ContractError } from './contract-error.js';
import { type Parameter, parametersOf } from './parameters.js';
import { type Place, resolvedNode, schemaOf } from './resolved.js';
import type { ContractSchema } from './schema.js';

/** What the YAML says about one operation, as far as routing needs it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** The names of the security schemes that a caller must pass, all of them; none for a public operation. */
  readonly security: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody: RequestBody | undefined;
  /** The documented answers, by status. */
  readonly responses: ReadonlyMap<number, Response>;
  /** Where it stands in the file. */
  readonly place: string;
}

export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: typeof json;
  readonly schema: ContractSchema;
  readonly place: string;
  /** The largest body in bytes, and how deep its arrays and objects may nest: `x-limits` in the YAML. */
  readonly limits: { readonly bytes: number; readonly depth: number };
}

export interface Response {
  readonly status: number;
  /** Undefined where it has no body. */
  readonly schema: ContractSchema | undefined;
  /** The names of all headers that are documented, and of those that each such answer has. */
  readonly headers: readonly string[];
  readonly requiredHeaders: readonly string[];
  readonly place: string;
}

const json = 'application/json';
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
        security: schemesOf(operation.security ?? document.security ?? [], place),
        parameters: parametersOf(
          path,
          { parameters: item.parameters, placeIn: placeInPath },
          { parameters: operation.parameters, placeIn: place },
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

/** Alternatives (`[{a: []}, {b: []}]`) and scopes are refused, not half honoured: no check here knows them. */
function schemesOf(requirements: readonly OpenAPIV3.SecurityRequirementObject[], place: Place): string[] {
  const [requirement = {}, alternative] = requirements;
  if (alternative !== undefined) {
    throw new ContractError(
      `${place('security')}: alternative security requirements are not supported; keep one.`,
    );
  }
  if (Object.values(requirement).some((scopes) => scopes.length > 0)) {
    throw new ContractError(`${place('security')}: security scopes are not supported.`);
  }
  return Object.keys(requirement);
}

function requestBodyOf(
  written: OpenAPIV3.RequestBodyObject | OpenAPIV3.ReferenceObject | undefined,
  place: Place,
): RequestBody | undefined {
  if (written === undefined) return undefined;
  const body = resolvedNode(written, place('requestBody'));
  const schema = jsonSchemaOf(body.content, place('requestBody', 'content'));
  const limits: unknown = 'x-limits' in body ? body['x-limits'] : undefined;
  if (!isLimits(limits)) {
    throw new ContractError(
      `${place('requestBody')}: the request body needs "x-limits" with "bytes" and "depth", both positive integers, and "depth" at most ${deepest}.`,
    );
  }
  const { required = false } = body;
  return {
    required,
    mediaType: json,
    schema,
    place: place('requestBody', 'content', json, 'schema'),
    limits,
  };
}

function isLimits(value: unknown): value is RequestBody['limits'] {
  if (typeof value !== 'object' || value === null || !('bytes' in value) || !('depth' in value)) return false;
  const { bytes, depth } = value;
  return (
    [bytes, depth].every((limit) => Number.isInteger(limit) && Number(limit) > 0) && Number(depth) <= deepest
  );
}

/** Ranges and `default` are refused: handlers answer with statuses, and the types name each. */
function responsesOf(responses: OpenAPIV3.ResponsesObject, placeIn: Place): Map<number, Response> {
  const statuses = Object.entries(responses).filter(([status]) => !status.startsWith('x-'));
  return new Map(
    statuses.map(([status, written]) => {
      const place = placeIn('responses', status);
      if (!/^[1-5][0-9]{2}$/.test(status)) {
        throw new ContractError(`${place}: "${status}" is not supported: list the statuses one by one.`);
      }
      const { content, headers = {} } = resolvedNode(written, place);
      const requiredHeaders = Object.entries(headers)
        .filter(([, header]) => resolvedNode(header, place).required === true)
        .map(([name]) => name);
      const schema = content && jsonSchemaOf(content, placeIn('responses', status, 'content'));
      const answer = {
        status: Number(status),
        schema,
        headers: Object.keys(headers),
        requiredHeaders,
        place,
      };
      return [answer.status, answer];
    }),
  );
}

function jsonSchemaOf(
  content: Readonly<Record<string, OpenAPIV3.MediaTypeObject>>,
  place: string,
): ContractSchema {
  const [mediaType, another] = Object.entries(content);
  const schema = mediaType?.[0] === json && another === undefined ? mediaType[1].schema : undefined;
  if (schema === undefined) {
    throw new ContractError(`${place}: a body must be application/json, and only that, with a schema.`);
  }
  return schemaOf(schema);
}
