/**
 * Reads any OpenAPI 3.0 document for the mock.
 *
 * The service's own layer (src/contract/) serves the mock, so that a wrong request is refused as the service
 * refuses it. But that layer refuses a document that it could not keep to the letter, and most documents of
 * others have something of that kind: an unknown format, or an example that does not fit its schema. A mock
 * need not be as exact. If the document cannot be served as it is, this makes a copy, and takes out of it
 * what is in the way:
 *
 * 1. Operations and parameters that nobody can write, as the checker leaves them out
 *    (../check/document/any-contract.ts).
 * 2. Keywords that the layer does not check (servable-schema.ts), and members that are named as a keyword of
 *    JSON Schema.
 * 3. Examples that do not fit: the mock makes a value instead (samples.ts).
 * 4. Operations that the layer still refuses, or that a router cannot tell apart.
 *
 * It also adds the failures that the layer answers by itself, because the layer would turn an undocumented
 * one into a 500. Each omission is a sentence, which the start prints.
 */
import { readFile } from 'node:fs/promises';
import type { OpenAPIV3 } from 'openapi-types';
import { type Contract, ContractError, readContractText } from '../../../src/contract/document/document.js';
import { type Operation, operationsOf } from '../../../src/contract/document/operations.js';
import { compileRequest } from '../../../src/contract/request/validation.js';
import { routerPath } from '../../../src/contract/route.js';
import { readAnyContractText } from '../check/document/any-contract.js';
import { wordsFor } from '../check/document/credentials.js';
import { describe } from '../check/document/description.js';
import { Node } from '../check/document/node.js';
import { fromYaml } from '../check/values/json.js';
import { misfitsOf } from '../check/values/schema.js';
import { withBigints } from './samples.js';
import { type Direction, keywordNames, type Schema, servableSchema } from './servable-schema.js';

interface Mockable {
  readonly contract: Contract;
  /** Whether the document describes the failures that the service's own layer answers. */
  readonly isOwn: boolean;
  /** A sentence for each operation or parameter that the mock does without. */
  readonly leftOut: readonly string[];
}

/**
 * @throws {ContractError} if the file is not OpenAPI 3.0, or if nobody could write a request of any operation
 * @throws {Error} with the code of the file system if the file cannot be read, such as ENOENT
 */
export async function readMockable(file: string): Promise<Mockable> {
  const text = await readFile(file, 'utf8');
  const own = await readContractText(text, file).catch((error: unknown) => {
    if (error instanceof ContractError) return undefined;
    throw error;
  });
  const misfits: string[] = [];
  if (own !== undefined) withFittingExamples(own.resolved, (what) => misfits.push(what));
  const isServable = own !== undefined && keywordNamesIn(own.document).length === 0 && misfits.length === 0;
  if (isServable && obstaclesOf(own.operations).size === 0) {
    return { contract: own, isOwn: true, leftOut: [] };
  }
  const { contract, relaxed, leftOut } = await readAnyContractText(text, file);
  const said = [...leftOut];
  const document = withFittingExamples(withoutKeywordNames(withSchemas(relaxed)), (what) => said.push(what));
  const { scheme } = describe(contract).operations.find(({ secured }) => secured) ?? {};
  if (scheme !== undefined && scheme.kind !== 'bearer') {
    said.push(`The mock asks for its bearer token instead of ${wordsFor(scheme)}.`);
  }
  for (const name of keywordNamesIn(relaxed)) {
    said.push(`Members that are named ${name} are neither checked nor shown.`);
  }
  const read = operationsOf(document, contract.place);
  const obstacles = obstaclesOf(read);
  for (const [{ id }, why] of obstacles) said.push(`${id} is left out: ${why}`);
  const operations = read.filter((operation) => !obstacles.has(operation));
  const paths: OpenAPIV3.PathsObject = {};
  for (const { path, method } of operations) {
    // A path item names the methods of its operations in lower case.
    const key = method.toLowerCase() as OpenAPIV3.HttpMethods;
    paths[path] = { ...paths[path], [key]: document.paths[path]?.[key] };
  }
  const served = { ...document, paths };
  return {
    contract: { ...contract, document: served, resolved: served, operations },
    isOwn: false,
    leftOut: said,
  };
}

function keywordNamesIn(document: OpenAPIV3.Document): string[] {
  const written = JSON.stringify(document);
  // A reference is a text, and stands for itself.
  return keywordNames.filter((name) => written.includes(`"${name}":${name === '$ref' ? '{' : ''}`));
}

/** Takes members that are named as a keyword out of the examples. The schemas have none any more. */
function withoutKeywordNames(document: OpenAPIV3.Document): OpenAPIV3.Document {
  const [name] = keywordNames;
  return JSON.parse(JSON.stringify(document), (key, value) => (key === name ? undefined : value));
}

/**
 * Takes out examples that no writer of JSON could write by their schema: without a required member, or with a
 * text for a list.
 */
function withFittingExamples(document: OpenAPIV3.Document, say: (what: string) => void): OpenAPIV3.Document {
  const withFitting = (media: OpenAPIV3.MediaTypeObject, where: string): OpenAPIV3.MediaTypeObject => {
    const { example, examples, ...others } = media;
    const fits = (value: unknown, name: string): boolean => {
      const why = shapeFault(media.schema, value);
      if (why !== undefined) say(`The mock makes a value instead of ${name} of ${where}: ${why}.`);
      return why === undefined;
    };
    const kept = Object.entries(examples ?? {}).filter(
      ([name, object]) => '$ref' in object || fits(object.value, `the example ${name}`),
    );
    return {
      ...others,
      ...(example !== undefined && fits(example, 'the example') && { example }),
      ...(kept.length > 0 && { examples: Object.fromEntries(kept) }),
    };
  };
  const paths = mapOperations(document.paths, (operation) => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([key, response]) => {
        if ('$ref' in response || response.content === undefined) return [key, response];
        const content = Object.entries(response.content).map(([type, media]) => [
          type,
          withFitting(media, `${operation.operationId}, ${key}`),
        ]);
        return [key, { ...response, content: Object.fromEntries(content) }];
      }),
    ),
  }));
  return { ...document, paths };
}

/** Only these keywords are about what a writer of JSON needs: it writes a text that breaks a pattern. */
const shapeKeywords = ['type', 'required', 'oneOf', 'anyOf', 'allOf'];

function shapeFault(schema: unknown, value: unknown): string | undefined {
  if (schema === undefined || value === undefined) return undefined;
  const misfits = misfitsOf(new Node(withBigints(schema)), fromYaml(withBigints(value)));
  return misfits.find(({ keyword }) => shapeKeywords.includes(keyword))?.message;
}

/** Says why operations cannot be served; those that can are not in the map. */
function obstaclesOf(operations: readonly Operation[]): ReadonlyMap<Operation, string> {
  const routes = new Map<string, string>();
  const obstacles = operations.flatMap((operation): [Operation, string][] => {
    // A router cannot tell `/a/{id}` from `/a/{name}`.
    const route = `${operation.method} ${operation.path.replaceAll(/\{[^}]*\}/g, '{}')}`;
    const other = routes.get(route);
    const why = other === undefined ? obstacleOf(operation) : `its path is that of ${other}.`;
    if (why === undefined) routes.set(route, operation.id);
    return why === undefined ? [] : [[operation, why]];
  });
  return new Map(obstacles);
}

function obstacleOf(operation: Operation): string | undefined {
  try {
    compileRequest(operation);
    routerPath(operation);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function withSchemas(document: OpenAPIV3.Document): OpenAPIV3.Document {
  return { ...document, paths: mapOperations(document.paths, withOwnSchemas) };
}

function mapOperations(
  paths: OpenAPIV3.PathsObject,
  change: (operation: OpenAPIV3.OperationObject) => OpenAPIV3.OperationObject,
): OpenAPIV3.PathsObject {
  const changed = Object.entries(paths).map(([path, item = {}]) => {
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      // any-contract.ts leaves nothing but operations in a path.
      change(operation as OpenAPIV3.OperationObject),
    ]);
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(changed);
}

function withOwnSchemas(operation: OpenAPIV3.OperationObject): OpenAPIV3.OperationObject {
  const { parameters = [], requestBody, responses } = operation;
  return {
    ...operation,
    parameters: parameters.map((parameter) =>
      '$ref' in parameter || parameter.schema === undefined
        ? parameter
        : { ...parameter, schema: parameterSchema(parameter.schema) },
    ),
    ...(requestBody && !('$ref' in requestBody) && { requestBody: withContent(requestBody, 'request') }),
    responses: {
      ...failuresOfTheLayer(Object.keys(responses)),
      ...Object.fromEntries(
        Object.entries(responses).map(([key, response]) => [
          key,
          '$ref' in response ? { description: key } : withContent(response, 'response'),
        ]),
      ),
    },
  };
}

/** Marks an answer that the document does not have. */
export const addedByMock = 'x-added-by-mock';

/**
 * The service's own layer answers these by itself. It would turn a failure that is not documented into a 500.
 */
function failuresOfTheLayer(documented: readonly string[]): OpenAPIV3.ResponsesObject {
  const isOpen = (status: number): boolean =>
    !documented.includes('default') && !documented.includes(`${String(status).charAt(0)}XX`);
  return Object.fromEntries(
    [400, 401, 404, 405, 408, 411, 413, 414, 415, 431, 500, 503].filter(isOpen).map((status) => [
      status,
      {
        description: 'The mock answers so. The contract does not document it.',
        content: { 'application/json': { schema: { type: 'object' as const } } },
        [addedByMock]: true,
      },
    ]),
  );
}

function withContent<Part extends OpenAPIV3.RequestBodyObject | OpenAPIV3.ResponseObject>(
  part: Part,
  direction: Direction,
): Part {
  if (part.content === undefined) return part;
  const content = Object.entries(part.content).flatMap(([type, media]) =>
    media.schema === undefined ? [] : [[type, { ...media, schema: servableSchema(media.schema, direction) }]],
  );
  const { content: _, ...others } = part;
  // Only the content is left out or replaced.
  return (content.length === 0 ? others : { ...others, content: Object.fromEntries(content) }) as Part;
}

function parameterSchema(schema: Schema): Schema {
  const made = servableSchema(schema, 'request');
  const value = 'default' in schema ? schema.default : undefined;
  return value === undefined ? made : { ...made, default: value };
}
