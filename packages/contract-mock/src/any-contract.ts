/**
 * Reads any OpenAPI document for the mock.
 *
 * The service's own layer (packages/service/src/contract/) serves the mock, so that a wrong request is refused as the service
 * refuses it. But that layer refuses a document that it could not keep to the letter, and most documents of
 * others have something of that kind: an unknown format, or an answer that is not JSON. A mock need not be as
 * exact. If the document cannot be served as it is, the operations are those that the checker would try
 * (../document/operations.ts), with less in them:
 *
 * 1. Operations and parameters that nobody can write are left out.
 * 2. So are keywords that the layer does not check (servable-schema.ts), and the schema of a parameter or a
 *    body if the layer still refuses it. The rule goes, and the operation stays.
 * 3. Answers have no schemas: a mock sends examples, and writes them as they are.
 * 4. Operations that a router cannot do, or cannot tell apart, are left out.
 *
 * Failures that the layer answers by itself are added, because it would turn an undocumented one into a 500.
 * Each omission is a sentence, which the start prints.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import {
  type ApiDocument,
  type Operation as DescribedOperation,
  type Parameter as DescribedParameter,
  isJson,
  operationsOf,
  readDocument,
  walk,
} from '../../contract-tools/index.js';
import { ContractError, isMap, type JsonValue } from '../../exact-json/index.js';
import {
  type Content,
  type Contract,
  type ContractSchema,
  compileAnswers,
  compileRequest,
  contractOf,
  type Operation,
  type Parameter,
  type Response,
  routerPath,
  type SchemaReader,
  schemaReader,
  subschemasOf,
  typesOf,
  unknownMemberRemoval,
} from '../../service/layer.js';
import { hasBoundedPattern } from './bounded-patterns.js';
import { type Answers, exampleAnswers } from './examples.js';
import { withRoutableNames } from './route-names.js';
import { jsonText } from './samples.js';
import { servableSchemas } from './servable-schema.js';

interface Mockable {
  readonly contract: Contract;
  /** Whether the layer can serve the document as it is, and so keeps it to the letter. */
  readonly isOwn: boolean;
  /** A sentence for each operation, parameter or rule that the mock does without. */
  readonly leftOut: readonly string[];
}

/** A body without `x-limits` has none that anybody knows. */
const noLimits = { bytes: 2 ** 30, depth: 1_000 };
/** The name of the check that knows what each operation asks for (credentials.ts). */
const ownScheme = 'mock';

/**
 * @throws {ContractError} if the file is not OpenAPI, or if nobody could write a request of any operation
 * @throws {Error} with the code of the file system if the file cannot be read, such as ENOENT
 */
export async function readMockable(file: string): Promise<Mockable> {
  const text = await readFile(file, 'utf8');
  const document = readDocument(text, relative(process.cwd(), file));
  const own = ownContract(file, document);
  if (own !== undefined) return { contract: own, isOwn: true, leftOut: [] };
  const { operations: tried, leftOut } = operationsOf(document);
  const said = [...document.faults, ...leftOut];
  const dropped = new Set<string>();
  const servable = servableSchemas((rule) => dropped.add(rule));
  const schemaOf = schemaReader();
  const read = operationsFor(tried, (node) => servable(schemaOf(node))).map((one) =>
    checkable(one, (what) => said.push(what)),
  );
  if (dropped.size > 0) said.push(`The mock does not check these rules: ${[...dropped].join('; ')}.`);
  const obstacles = obstaclesOf(read);
  for (const [{ id }, why] of obstacles) said.push(`${id} is left out: ${why}`);
  const { root, place } = document;
  const contract = {
    ...{ file, text, root, place },
    title: root.at('info')?.text('title') ?? '',
    version: root.at('info')?.text('version') ?? '',
    operations: read.filter((operation) => !obstacles.has(operation)),
  };
  said.push(...exampleAnswers(contract).remarks);
  return { contract, isOwn: false, leftOut: said };
}

/** @returns undefined if the layer could not serve the document as it is */
function ownContract(file: string, document: ApiDocument): Contract | undefined {
  const { text, root, place, faults } = document;
  if (faults.length > 0 || hasKeywordNames(document)) return undefined;
  try {
    const contract = contractOf({ file, text, root, place });
    if (hasBoundedPattern(contract)) return undefined;
    if (!contract.operations.every(canAnswer) || obstaclesOf(contract.operations).size > 0) return undefined;
    const { answers, remarks } = exampleAnswers(contract);
    return remarks.length > 0 || losesMembers(contract, answers) ? undefined : contract;
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

/**
 * Whether a member is named as a keyword of JSON Schema: the serializer of answers would take it for that
 * keyword.
 */
function hasKeywordNames({ root }: ApiDocument): boolean {
  return [...walk(root.value)].some(({ kind, value }) => {
    const properties = kind === 'schema' && isMap(value) ? value['properties'] : undefined;
    return isMap(properties) && (Object.hasOwn(properties, '$id') || Object.hasOwn(properties, '$ref'));
  });
}

/** Whether the serializers would leave out members of an example that its schema does not name. */
function losesMembers({ operations }: Contract, answers: Answers): boolean {
  return operations.some(({ id, responses }) =>
    (answers.get(id) ?? []).some(({ status, body }) => {
      const schema = responses.get(status)?.content?.schema;
      const remove = schema && unknownMemberRemoval([schema]);
      if (remove === undefined || body === undefined) return false;
      const written: JsonValue = JSON.parse(jsonText(body));
      const known = structuredClone(written);
      remove(known);
      return jsonText(known) !== jsonText(written);
    }),
  );
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

/** Makes the operations that the layer serves. Those of one id differ in the media type of their bodies. */
function operationsFor(tried: readonly DescribedOperation[], schemaOf: SchemaReader): Operation[] {
  const byId = new Map<string, DescribedOperation[]>();
  for (const operation of tried) byId.set(operation.id, [...(byId.get(operation.id) ?? []), operation]);
  return [...byId.values()].flatMap((same) => {
    const [operation] = same;
    if (operation === undefined) return [];
    const { id, method, path, parameters, body, responses, node } = operation;
    const content = same.flatMap(({ body: one }): [string, Content][] =>
      one === undefined ? [] : [[one.mediaType, { schema: schemaOf(one.schema), place: one.schema.place }]],
    );
    return {
      ...{ id, method, path },
      tags: [],
      security: [[ownScheme]],
      parameters: parameters.map((one) => parameterFor(one, schemaOf)),
      requestBody: body && {
        required: body.required,
        content: new Map(content),
        limits: body.limits ?? noLimits,
      },
      responses: responsesFor(responses, node.place),
      place: node.place,
    };
  });
}

function parameterFor(
  { name, in: part, required, exploded, schema }: DescribedParameter,
  schemaOf: SchemaReader,
): Parameter {
  const read = schemaOf(schema);
  const usual = required ? undefined : schema.at('default')?.value;
  return {
    ...{ name, in: part, required, exploded, place: schema.place },
    schema: usual === undefined ? read : { ...read, default: usual },
    isList: part === 'query' && subschemasOf(read).some((one) => typesOf(one).includes('array')),
    defaultPlace: schema.at('default')?.place ?? schema.place,
  };
}

/** The first JSON of a response is what the layer writes; examples.ts sends other media types. */
function responsesFor(
  documented: DescribedOperation['responses'],
  place: string,
): ReadonlyMap<number, Response> {
  if (documented.size === 0) return new Map();
  const made = new Map(
    Array.from(new Set(documented.values()), (response) => {
      const json = [...response.content].find(([type, schema]) => isJson(type) && schema !== undefined);
      const headers = response.headers.map(({ name }) => name);
      return [response, answer(response.key, json?.[0], {}, response.node.place, headers)];
    }),
  );
  // It is mostly that of all failures.
  const failureType = [...documented]
    .flatMap(([status, { content }]) => (status >= 400 ? [...content.keys()] : []))
    .find(isJson);
  const failures = failuresOfTheLayer
    .filter((status) => !documented.has(status))
    .map((status): [number, Response] => [
      status,
      answer(String(status), failureType ?? 'application/json', { type: 'object' }, place),
    ]);
  const own = Array.from(documented, ([status, response]): [number, Response] => {
    // Each response of the document has been made above.
    return [status, made.get(response) as Response];
  });
  return new Map([...failures, ...own]);
}

function answer(
  key: string,
  mediaType: string | undefined,
  schema: ContractSchema,
  place: string,
  headers: readonly string[] = [],
): Response {
  const sentType = `${mediaType}; charset=utf-8`;
  const content = mediaType === undefined ? undefined : { mediaType, sentType, schema, place };
  return { ...{ key, headers, content, place }, requiredHeaders: [] };
}

/** The layer answers these by itself, and would turn one that is not documented into a 500. */
const failuresOfTheLayer = [400, 401, 404, 405, 408, 411, 413, 414, 415, 431, 500, 503];

/** Replaces the schemas that the layer cannot check by one that every value fits. */
function checkable(operation: Operation, say: (what: string) => void): Operation {
  if (faultOf(operation) === undefined) return operation;
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

/** Says why operations cannot be served; those that can are not in the map. */
function obstaclesOf(operations: readonly Operation[]): ReadonlyMap<Operation, string> {
  const routes = new Map<string, string>();
  const obstacles = operations.flatMap((operation): [Operation, string][] => {
    // A router cannot tell `/a/{id}` from `/a/{name}`.
    const route = `${operation.method} ${operation.path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
    const other = routes.get(route);
    const why = other === undefined ? obstacleOf(operation) : `its path is that of ${other}.`;
    if (why === undefined) routes.set(route, operation.id);
    return why === undefined ? [] : [[operation, why]];
  });
  return new Map(obstacles);
}

/** The methods for which the glue makes routes. */
const routed: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']);

function obstacleOf(operation: Operation): string | undefined {
  // From 3.1 on, an operation need not describe any.
  if (operation.responses.size === 0) return 'the document describes no answer of it.';
  const fault = faultOf(operation);
  if (fault !== undefined) return fault;
  if (!routed.has(operation.method)) return `the mock does not route ${operation.method}.`;
  try {
    routerPath(withRoutableNames(operation));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
