/**
 * Reads the operations of a document, with all that they inherit from their path and from the document, and
 * refuses what this server cannot serve.
 */
import { ContractError, type Node, readPart } from '../../../../exact-json/index.js';
import { type SchemaReader, schemaReader } from '../../schema/schema-reader.js';
import { type Content, jsonContentOf } from './content.js';
import { type Parameter, parametersOf } from './parameters.js';
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
 * @param root the top of the form
 * @returns the operations in the order of the paths, and of `methods` within a path
 * @throws {ContractError} if this server cannot serve one of them, with a sentence for each fault
 */
export function operationsOf(root: Node): Operation[] {
  const faults: string[] = [];
  const schemaOf = schemaReader();
  const paths = (root.at('paths')?.members() ?? []).filter(([path]) => path.startsWith('/'));
  const operations = paths.flatMap(([path, item]) => {
    const query = item.at('query');
    for (const { place } of [...(query ? [query] : []), ...item.list('additionalOperations')])
      faults.push(`${place}: the method is not supported: write one of ${methods.join(', ')}.`);
    return methods.flatMap((method) => {
      const operation = item.at(method);
      if (operation === undefined) return [];
      const { place } = operation;
      const id = operation.text('operationId');
      if (id === undefined) faults.push(`${place}: the operation has no operationId: add one.`);
      const security = readPart(faults, () =>
        requirementsOf(
          operation.at('security') ?? root.at('security'),
          root.at('components', 'securitySchemes'),
          operation.at('security')?.place ?? place,
        ),
      );
      const parameters = readPart(faults, () => parametersOf(path, item, operation, schemaOf));
      const requestBody = readPart(faults, () => requestBodyOf(operation.at('requestBody'), schemaOf));
      const responses = readPart(faults, () => responsesOf(operation.at('responses'), schemaOf));
      if (!id || !security || !parameters || !responses) return [];
      const tags = operation.list('tags').map(({ value }) => String(value));
      return [
        { id, method: method.toUpperCase(), path, tags, security, parameters, requestBody, responses, place },
      ];
    });
  });
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

function requestBodyOf(body: Node | undefined, schemaOf: SchemaReader): RequestBody | undefined {
  if (body === undefined) return undefined;
  const content = body.at('content');
  const types = content === undefined ? new Map() : jsonContentOf(content, schemaOf);
  const [bytes, depth] = ['bytes', 'depth'].map((limit) => Number(body.at('x-limits')?.number(limit)));
  if (!isLimit(bytes) || !isLimit(depth) || depth > maxDepth) {
    throw new ContractError(
      `${body.use.place}: the request body needs "x-limits" with "bytes" and "depth", both positive integers, and "depth" at most ${maxDepth}.`,
    );
  }
  return { required: body.flag('required'), content: types, limits: { bytes, depth } };
}

function isLimit(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value > 0;
}
