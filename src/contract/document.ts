import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { OpenAPIV3 } from 'openapi-types';
import {
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  visit,
  type Document as YamlDocument,
} from 'yaml';

/** What the YAML says about one operation, as far as routing needs it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The names of the security schemes that a caller must pass, all of them; none for a public operation. */
  readonly security: readonly string[];
  readonly requestBody: RequestBody | undefined;
  /** The documented statuses. */
  readonly statuses: ReadonlySet<number>;
}

export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: 'application/json';
  /** The largest body in bytes, and how deep its arrays and objects may nest: `x-limits` in the YAML. */
  readonly limits: { readonly bytes: number; readonly depth: number };
}

export interface Contract {
  /** The file that it was read from, and its text, byte for byte. */
  readonly file: string;
  readonly text: string;
  /**
   * The document as written, references unresolved. Where an integer does not fit a double, its
   * neighbour `x-exact-…` has its digits: `maximum: 9223372036854775807` comes with
   * `x-exact-maximum: '9223372036854775807'`, and a list such as `enum` with a list of digits.
   */
  readonly document: OpenAPIV3.Document;
  readonly operations: readonly Operation[];
  /** Where a node of the document stands in the file: `openapi/plants.yaml:12:3`. */
  place(path: readonly (string | number)[]): string;
}

/** The YAML is wrong: one sentence per fault, each with its place. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** What holds for any contract, whether or not this server could serve it. */
export type ContractDocument = Pick<Contract, 'document' | 'place'>;

/**
 * Reads and validates an OpenAPI 3.0 document.
 *
 * @throws {ContractError} where it is no YAML, no valid OpenAPI, or asks for what this server does not do
 */
export async function readContract(file: string): Promise<Contract> {
  const text = await readFile(file, 'utf8');
  const { document, resolved, place } = await parseContract(text, relative(process.cwd(), file));
  return { file, text, document, operations: operationsOf(resolved, place), place };
}

/**
 * Validates the text of an OpenAPI document, which need not stand in a file; `name` is what its places
 * begin with.
 *
 * @throws {ContractError} where it is no YAML or no valid OpenAPI
 */
export async function parseContract(
  text: string,
  name: string,
): Promise<ContractDocument & { readonly resolved: OpenAPIV3.Document }> {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines, intAsBigInt: true, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [fault] = yaml.errors;
  if (fault !== undefined) throw new ContractError(`${at(fault.pos[0])}: ${fault.message}`);

  keepExactIntegers(yaml);
  const place = (path: readonly (string | number)[]) => at(offsetOf(yaml, path));
  // A structure that is not OpenAPI is refused by the next statement.
  const document = yaml.toJS() as OpenAPIV3.Document;
  return { document, resolved: await validated(document, name), place };
}

/** The offset of the node at `path`, or of the nearest one above it that exists. */
function offsetOf(yaml: YamlDocument, path: readonly (string | number)[]): number {
  const node = path.length === 0 ? yaml.contents : yaml.getIn(path, true);
  if (isNode(node) && node.range) return node.range[0];
  return path.length === 0 ? 0 : offsetOf(yaml, path.slice(0, -1));
}

/** Turns the YAML's integers into numbers, and adds `x-exact-…` beside those that lose digits by it. */
function keepExactIntegers(yaml: YamlDocument): void {
  visit(yaml, {
    Map(_, map) {
      for (const { key, value } of [...map.items]) {
        if (losesDigits(value)) {
          map.add(yaml.createPair(`x-exact-${key}`, String(value.value)));
        } else if (isSeq(value) && value.items.every(isScalar) && value.items.some(losesDigits)) {
          const digits = value.items.map((item) =>
            typeof item.value === 'bigint' ? String(item.value) : item.value,
          );
          map.add(yaml.createPair(`x-exact-${key}`, digits));
        }
      }
    },
    Scalar(_, scalar) {
      if (typeof scalar.value === 'bigint') scalar.value = Number(scalar.value);
    },
  });
}

function losesDigits(node: unknown): node is Scalar<bigint> {
  return isScalar(node) && typeof node.value === 'bigint' && BigInt(Number(node.value)) !== node.value;
}

async function validated(document: OpenAPIV3.Document, name: string): Promise<OpenAPIV3.Document> {
  try {
    // The parser resolves references in place, so it gets a copy; it types its result for all versions.
    return (await SwaggerParser.validate(structuredClone(document))) as OpenAPIV3.Document;
  } catch (error) {
    throw new ContractError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function operationsOf(document: OpenAPIV3.Document, place: Contract['place']): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined
        ? []
        : [
            readOperation(document, operation, method, path, (...rest) =>
              place(['paths', path, method, ...rest]),
            ),
          ];
    }),
  );
}

function readOperation(
  document: OpenAPIV3.Document,
  operation: OpenAPIV3.OperationObject,
  method: string,
  path: string,
  place: (...rest: string[]) => string,
): Operation {
  const { operationId } = operation;
  if (operationId === undefined) throw new ContractError(`${place()}: the operation needs an operationId.`);
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    security: schemesOf(operation.security ?? document.security ?? [], place),
    requestBody: requestBodyOf(operation.requestBody, place),
    statuses: new Set(Object.keys(operation.responses).map(Number)),
  };
}

/** Alternatives (`[{a: []}, {b: []}]`) are refused, not half honoured: no check here knows an "or". */
function schemesOf(
  requirements: readonly OpenAPIV3.SecurityRequirementObject[],
  place: (...rest: string[]) => string,
): string[] {
  const [requirement, alternative] = requirements;
  if (alternative !== undefined) {
    throw new ContractError(
      `${place('security')}: alternative security requirements are not supported; keep one.`,
    );
  }
  return Object.keys(requirement ?? {});
}

function requestBodyOf(
  body: OpenAPIV3.RequestBodyObject | OpenAPIV3.ReferenceObject | undefined,
  place: (...rest: string[]) => string,
): RequestBody | undefined {
  // The validator has resolved every reference by now.
  if (body === undefined || '$ref' in body) return undefined;
  const [mediaType, another] = Object.keys(body.content);
  if (mediaType !== 'application/json' || another !== undefined) {
    throw new ContractError(
      `${place('requestBody', 'content')}: a request body must be application/json, and only that.`,
    );
  }
  const limits: unknown = 'x-limits' in body ? body['x-limits'] : undefined;
  if (!isLimits(limits)) {
    throw new ContractError(
      `${place('requestBody')}: the request body needs "x-limits" with "bytes" and "depth", both positive integers.`,
    );
  }
  return { required: body.required ?? false, mediaType, limits };
}

function isLimits(value: unknown): value is RequestBody['limits'] {
  if (typeof value !== 'object' || value === null || !('bytes' in value) || !('depth' in value)) return false;
  return [value.bytes, value.depth].every((limit) => Number.isInteger(limit) && Number(limit) > 0);
}
