/**
 * Reads the operations of a document, with all that they inherit from their path and from the document, and
 * refuses what this server cannot serve.
 */
import type { OpenAPIV3 } from 'openapi-types';
import { ContractError, readPart } from '../../schema/contract-error.js';
import { type Content, jsonContentOf } from './content.js';
import { type Parameter, parametersOf } from './parameters.js';
import { type Place, resolvedNode } from './resolved.js';
import { type Response, responsesOf } from './responses.js';
import { type Requirement, requirementsOf } from './security.js';

/** An operation, with all that it inherits. */
export interface Operation {
  /** The operationId. */
  readonly id: string;
  /** The method in upper case. */
  readonly method: string;
  /** The path as it is written in the YAML, such as `/plants/{id}`. */
  readonly path: string;
  readonly tags: readonly string[];
  /** Alternatives, one of which a request must meet. The list is empty if the operation is public. */
  readonly security: readonly Requirement[];
  readonly parameters: readonly Parameter[];
  readonly requestBody: RequestBody | undefined;
  /**
   * The response of each status. Ranges such as `4XX`, and `default`, are expanded to the statuses that they
   * stand for.
   */
  readonly responses: ReadonlyMap<number, Response>;
  /** Where it stands in the YAML, such as `openapi/plants.yaml:12:3`. */
  readonly place: string;
}

export interface RequestBody {
  readonly required: boolean;
  /** The schema of each media type. */
  readonly content: ReadonlyMap<string, Content>;
  /**
   * The member `x-limits` of the YAML: how many bytes a body may have, and how deep arrays and objects may
   * nest.
   */
  readonly limits: { readonly bytes: number; readonly depth: number };
}

/** The keys of a path's operations, in the order in which the operations are listed. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
/** json.ts calls itself for each level of nesting, and the stack has an end. */
const maxDepth = 1000;

/**
 * @param document the document with its references resolved
 * @param placeIn says where a path stands in the YAML
 * @returns the operations in the order of the paths, and of `methods` within a path
 * @throws {ContractError} if this server cannot serve one of them, with a sentence for each fault
 */
export function operationsOf(
  document: OpenAPIV3.Document,
  placeIn: (path: readonly (string | number)[]) => string,
): Operation[] {
  const faults: string[] = [];
  const operations = Object.entries(document.paths).flatMap(([path, item = {}]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const place: Place = (...rest) => placeIn(['paths', path, method, ...rest]);
      const placeInPath: Place = (...rest) => placeIn(['paths', path, ...rest]);
      const { operationId: id } = operation;
      if (id === undefined) faults.push(`${place()}: the operation has no operationId: add one.`);
      const security = readPart(faults, () =>
        requirementsOf(
          operation.security ?? document.security ?? [],
          document.components?.securitySchemes ?? {},
          place('security'),
        ),
      );
      const parameters = readPart(faults, () =>
        parametersOf(
          path,
          { parameters: item.parameters, placeIn: placeInPath },
          { parameters: operation.parameters, placeIn: place },
          place(),
        ),
      );
      const requestBody = readPart(faults, () => requestBodyOf(operation.requestBody, place));
      const responses = readPart(faults, () => responsesOf(operation.responses, place));
      if (!id || !security || !parameters || !responses) return [];
      return {
        id,
        method: method.toUpperCase(),
        path,
        tags: operation.tags ?? [],
        security,
        parameters,
        requestBody,
        responses,
        place: place(),
      };
    }),
  );
  for (const [index, { id, place }] of operations.entries()) {
    const first = operations.findIndex((operation) => operation.id === id);
    if (first !== index) {
      faults.push(
        `${place}: ${operations[first]?.place} has the operationId ${id}, too: give one of them another name.`,
      );
    }
  }
  if (faults.length > 0) throw new ContractError(faults);
  return operations;
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
      `${place('requestBody')}: the request body needs "x-limits" with "bytes" and "depth", both positive integers, and "depth" at most ${maxDepth}.`,
    );
  }
  const { required = false } = body;
  return { required, content, limits };
}

function isLimits(value: unknown): value is RequestBody['limits'] {
  if (typeof value !== 'object' || value === null || !('bytes' in value) || !('depth' in value)) return false;
  const { bytes, depth } = value;
  return (
    [bytes, depth].every((limit) => Number.isInteger(limit) && Number(limit) > 0) && Number(depth) <= maxDepth
  );
}
