/**
 * Reads any OpenAPI 3.0 document for the mock.
 *
 * The service's own layer (src/contract/) serves the mock, so that a wrong request is refused as the service
 * refuses it. But that layer refuses a document that it could not keep to the letter, and most documents of
 * others have something of that kind: an unknown format, or an answer that is not JSON. A mock need not be as
 * exact. If the document cannot be served as it is, this makes a copy, and takes out of it what is in the way:
 *
 * 1. Operations and parameters that nobody can write, as the checker leaves them out
 *    (../check/document/any-contract.ts).
 * 2. Keywords that the layer does not check (servable-schema.ts), and the schema of a parameter or a body if
 *    the layer still refuses it. The rule goes, and the operation stays.
 * 3. The schemas of answers: a mock sends examples, and writes them as they are.
 * 4. Operations that a router cannot do, or cannot tell apart.
 *
 * It also adds the failures that the layer answers by itself, because the layer would turn an undocumented
 * one into a 500. Each omission is a sentence, which the start prints.
 */
import { readFile } from 'node:fs/promises';
import type { OpenAPIV3 } from 'openapi-types';
import { compileAnswers } from '../../../src/contract/answer/response-check.js';
import type { Contract } from '../../../src/contract/contract.js';
import { type Operation, operationsOf } from '../../../src/contract/document/operations.js';
import type { Parameter } from '../../../src/contract/document/parameters.js';
import { compileRequest } from '../../../src/contract/request/validation.js';
import { routerPath } from '../../../src/contract/route.js';
import { ContractError } from '../../../src/schema/contract-error.js';
import { readContractText } from '../../codegen/read-contract.js';
import { readAnyContractText } from '../check/document/any-contract.js';
import { describe } from '../check/document/description.js';
import { wordsFor } from '../document/credentials.js';
import { isJson } from '../document/media-types.js';
import { exampleAnswers } from './examples.js';
import { type Schema, type Servable, servableSchemas } from './servable-schema.js';

interface Mockable {
  readonly contract: Contract;
  /** Whether the layer can serve the document as it is, and so keeps it to the letter. */
  readonly isOwn: boolean;
  /** A sentence for each operation, parameter or rule that the mock does without. */
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
  const isServable =
    own?.operations.every(canAnswer) === true &&
    obstaclesOf(own.operations).size === 0 &&
    exampleAnswers(own).remarks.length === 0 &&
    !hasKeywordNames(own.document);
  if (isServable) return { contract: own, isOwn: true, leftOut: [] };
  const { contract, relaxed, leftOut } = await readAnyContractText(text, file);
  const said = [...leftOut];
  const { scheme } = describe(contract).operations.find(({ secured }) => secured) ?? {};
  if (scheme !== undefined && scheme.kind !== 'bearer') {
    said.push(`The mock asks for its bearer token instead of ${wordsFor(scheme)}.`);
  }
  const dropped = new Set<string>();
  const servable = servableSchemas(contract.resolved, (rule) => dropped.add(rule));
  const document = { ...relaxed, paths: mapOperations(relaxed.paths, (one) => withServable(one, servable)) };
  const read = operationsOf(document, contract.place).map((one) => checkable(one, (what) => said.push(what)));
  if (dropped.size > 0) said.push(`The mock does not check these rules: ${[...dropped].join('; ')}.`);
  const obstacles = obstaclesOf(read);
  for (const [{ id }, why] of obstacles) said.push(`${id} is left out: ${why}`);
  const operations = read.filter((operation) => !obstacles.has(operation));
  const served = { ...contract, document: routesOnly(contract.document, operations), operations };
  said.push(...exampleAnswers(served).remarks);
  return { contract: served, isOwn: false, leftOut: said };
}

/**
 * Whether a member is named as a keyword of JSON Schema, in a schema or an example: packages of the glue would
 * take it for that keyword. A reference is a text, and stands for itself.
 */
function hasKeywordNames(document: OpenAPIV3.Document): boolean {
  return /"(?:\$id":|\$ref":\{)/.test(JSON.stringify(document));
}

/** Whether the service's serializers can write each documented answer. */
function canAnswer(operation: Operation): boolean {
  try {
    compileAnswers(operation);
    return true;
  } catch (error) {
    if (error instanceof ContractError) return false;
    throw error;
  }
}

/** Replaces the schemas that the layer cannot check by one that every value fits. */
function checkable(operation: Operation, say: (what: string) => void): Operation {
  const { id, parameters, requestBody } = operation;
  const kept = parameters.flatMap((parameter): Parameter[] => {
    const why = faultOf({ ...operation, parameters: [parameter], requestBody: undefined });
    if (why === undefined) return [parameter];
    say(`${id} does not check its parameter ${parameter.name}: ${why}`);
    // The router needs a parameter for each name in the path.
    return parameter.in === 'path' || parameter.required
      ? [{ ...parameter, schema: { type: 'string' }, isList: false }]
      : [];
  });
  const why = faultOf({ ...operation, parameters: [] });
  if (why === undefined || requestBody === undefined) return { ...operation, parameters: kept };
  say(`${id} does not check its body: ${why}`);
  const content = Array.from(requestBody.content, ([type, one]) => [type, { ...one, schema: {} }] as const);
  return { ...operation, parameters: kept, requestBody: { ...requestBody, content: new Map(content) } };
}

function faultOf(operation: Operation): string | undefined {
  try {
    compileRequest(operation);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Makes a document of the routes alone, for the glue. It has no schemas: the glue would look for references in
 * them, and the layer has compiled them.
 */
function routesOnly(
  { openapi, info }: OpenAPIV3.Document,
  operations: readonly Operation[],
): OpenAPIV3.Document {
  const paths: OpenAPIV3.PathsObject = {};
  for (const { id, method, path, parameters, requestBody, responses } of operations) {
    const contentOf = (types: Iterable<string>) =>
      Object.fromEntries(Array.from(types, (type) => [type, { schema: {} }]));
    const answers = Array.from(new Set(responses.values()), ({ key, content }) => [
      key,
      { description: key, ...(content && { content: contentOf([content.mediaType]) }) },
    ]);
    // A path item names the methods of its operations in lower case.
    const key = method.toLowerCase() as OpenAPIV3.HttpMethods;
    paths[path] = {
      ...paths[path],
      [key]: {
        operationId: id,
        parameters: parameters.map(({ name, in: part, required }) => ({
          name,
          in: part,
          required,
          schema: {},
        })),
        ...(requestBody && { requestBody: { content: contentOf(requestBody.content.keys()) } }),
        responses: Object.fromEntries(answers),
      },
    };
  }
  return { openapi, info, paths };
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
  const fault = faultOf(operation);
  if (fault !== undefined) return fault;
  try {
    routerPath(operation);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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

function withServable(operation: OpenAPIV3.OperationObject, servable: Servable): OpenAPIV3.OperationObject {
  const { parameters = [], requestBody, responses } = operation;
  return {
    ...operation,
    parameters: parameters.map((parameter) =>
      '$ref' in parameter || parameter.schema === undefined
        ? parameter
        : { ...parameter, schema: withDefault(parameter.schema, servable) },
    ),
    ...(requestBody &&
      !('$ref' in requestBody) && {
        requestBody: { ...requestBody, content: jsonOf(requestBody.content, servable) },
      }),
    responses: {
      ...failuresOfTheLayer(Object.keys(responses)),
      ...Object.fromEntries(
        Object.entries(responses).map(([key, response]) => {
          if ('$ref' in response) return [key, { description: key }];
          const { content: written = {}, ...others } = response;
          const content = jsonOf(written, () => ({}));
          return [key, Object.keys(content).length === 0 ? others : { ...others, content }];
        }),
      ),
    },
  };
}

function withDefault(schema: Schema, servable: Servable): OpenAPIV3.SchemaObject {
  const value = 'default' in schema ? schema.default : undefined;
  return value === undefined ? servable(schema) : { ...servable(schema), default: value };
}

/** The media types whose bodies the layer reads and writes; examples.ts sends the others. */
function jsonOf(
  content: Readonly<Record<string, OpenAPIV3.MediaTypeObject>>,
  servable: Servable,
): Record<string, OpenAPIV3.MediaTypeObject> {
  return Object.fromEntries(
    Object.entries(content).flatMap(([type, { schema }]) =>
      schema === undefined || !isJson(type) ? [] : [[type, { schema: servable(schema) }]],
    ),
  );
}

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
      },
    ]),
  );
}
