/**
 * Reads any OpenAPI 3.0 document, and not only those that this project's service could serve. The service
 * refuses a document that it cannot keep to the letter, such as a body without `x-limits`. A checker of
 * somebody else's server can try the rest: it reads such a document as if the unusual part were not there,
 * leaves out operations and parameters that it cannot write, and says which.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { OpenAPIV3 } from 'openapi-types';
import type { Contract } from '../../../../src/contract/contract.js';
import { operationsOf } from '../../../../src/contract/document/operations.js';
import { ContractError } from '../../../../src/schema/contract-error.js';
import type { JsonObject, JsonValue } from '../../../../src/schema/json.js';
import type { Path } from '../../../../src/schema/json-pointer.js';
import { type Scheme, schemeOf, wordsFor } from '../../document/credentials.js';
import { parseContract } from '../../document/document.js';
import { formOf, writtenPath } from '../../document/form.js';
import { isJson, plainType } from '../../document/media-types.js';
import { Node as FormNode } from '../../document/node.js';
import { Node } from './node.js';

interface AnyContract {
  readonly contract: Contract;
  /** The document without what is left out, and with `x-limits` and an operationId everywhere. */
  readonly relaxed: OpenAPIV3.Document;
  /** A sentence for each operation or parameter that is left out. */
  readonly leftOut: readonly string[];
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
/** A body without `x-limits` has none that anybody knows. */
const noLimits = { bytes: 2 ** 30, depth: 1_000 };
const ignoredHeaders = new Set(['accept', 'content-type', 'authorization']);

/**
 * @throws {ContractError} if the file is not OpenAPI 3.0, or if none of its operations can be tried
 * @throws {Error} with the code of the file system if the file cannot be read, such as ENOENT
 */
export async function readAnyContract(file: string): Promise<AnyContract> {
  const text = await readFile(file, 'utf8');
  return readAnyContractText(text, file);
}

/**
 * @param file the path that sentences and places show, relative to the working folder
 * @throws {ContractError} if the text is not OpenAPI 3.0, or if none of its operations can be tried
 */
export async function readAnyContractText(text: string, file: string): Promise<AnyContract> {
  const parsed = await parseContract(text, relative(process.cwd(), file));
  const leftOut: string[] = [];
  const ids = new Set<string>();
  const { paths } = parsed.resolved;
  const schemes = readSchemes(new Node(parsed.resolved));
  const security = parsed.resolved.security ?? [];
  const usual = usualScheme(
    Object.values(paths).flatMap((item) => methods.flatMap((method) => item?.[method] ?? [])),
    security,
    schemes,
  );
  const shared = {
    ...parsed.resolved,
    security: [],
    components: { securitySchemes: standIns(schemes) },
  };
  const tried: OpenAPIV3.PathsObject = {};
  const operations = Object.entries(paths).flatMap(([path, item = {}]) =>
    methods.flatMap((method) => {
      const written = item[method];
      if (written === undefined) return [];
      const name = `${method.toUpperCase()} ${path}`;
      const id =
        written.operationId === undefined || ids.has(written.operationId) ? name : written.operationId;
      ids.add(id);
      try {
        const required = requirementsOf(id, written.security ?? security, schemes, usual);
        const relaxed = relax(id, item, written, required, usual, (what) => leftOut.push(what));
        const read = operationsOf(
          formRoot({ ...shared, paths: { [path]: { [method]: relaxed } } }, parsed.place),
        );
        tried[path] = { ...tried[path], [method]: relaxed };
        return read;
      } catch (error) {
        if (!(error instanceof ContractError)) throw error;
        leftOut.push(error.message.startsWith(id) ? error.message : `${id} is left out: ${error.message}`);
        return [];
      }
    }),
  );
  if (operations.length === 0) {
    const reasons = leftOut.slice(0, 3).join(' ');
    throw new ContractError([`${parsed.place(['paths'])}: no operation can be tried. ${reasons}`]);
  }
  return {
    contract: {
      ...{ file, text, operations },
      ...{ root: formRoot(parsed.document, parsed.place), place: parsed.place },
      title: parsed.document.info.title,
      version: parsed.document.info.version,
    },
    relaxed: { ...shared, paths: tried },
    leftOut,
  };
}

/** The service's layer reads the form, in which integers are bigints. */
function formRoot(document: OpenAPIV3.Document, place: (path: Path) => string): FormNode {
  const form = formOf(withBigints(document) as JsonObject, '3.0');
  return FormNode.root({ value: form.value, place: (path) => place(writtenPath(form, path)) });
}

function withBigints(value: unknown): JsonValue {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withBigints);
  // What stands in a document is a value of JSON.
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBigints(member)]));
}

/** @throws {ContractError} if no request of the operation can be written */
function relax(
  id: string,
  item: OpenAPIV3.PathItemObject,
  written: OpenAPIV3.OperationObject,
  security: OpenAPIV3.SecurityRequirementObject[],
  scheme: Scheme | undefined,
  say: (what: string) => void,
): OpenAPIV3.OperationObject {
  const { requestBody, ...operation } = written;
  const body = requestBody && bodyOf(id, requestBody, say);
  return {
    ...operation,
    operationId: id,
    parameters: parametersOf(id, [...(item.parameters ?? []), ...(written.parameters ?? [])], scheme, say),
    ...(body && { requestBody: body }),
    responses: Object.fromEntries(
      Object.entries(written.responses)
        .filter(([key]) => !key.startsWith('x-'))
        .map(([key, response]) => [key, '$ref' in response ? response : withoutOtherTypes(response)]),
    ),
    security,
  };
}

type Requirement = OpenAPIV3.SecurityRequirementObject;
type Schemes = ReadonlyMap<string, Scheme>;

/** The schemes that one text alone meets. */
function readSchemes(document: Node): Schemes {
  const written = document.at('components', 'securitySchemes')?.members() ?? [];
  return new Map(
    written.flatMap(([name, node]) => {
      const scheme = schemeOf(node);
      return scheme === undefined ? [] : [[name, scheme]];
    }),
  );
}

/** The service's own reader knows schemes of HTTP only; description.ts reads what they are. */
function standIns(schemes: Schemes): Record<string, OpenAPIV3.HttpSecurityScheme> {
  return Object.fromEntries(Array.from(schemes.keys(), (name) => [name, { type: 'http', scheme: 'bearer' }]));
}

/** The only scheme of a requirement. It may have several names: one token can meet two of OAuth 2. */
function onlyScheme(requirement: Requirement, schemes: Schemes): Scheme | undefined {
  const [first, ...others] = Object.keys(requirement).map((name) => schemes.get(name));
  return first && others.every((other) => other && isSame(other, first)) ? first : undefined;
}

function isSame(one: Scheme, other: Scheme): boolean {
  return wordsFor(one) === wordsFor(other);
}

/**
 * The scheme that most operations take; a bearer token, if others are taken as often. A caller has one
 * credential, and an API key in one header is no key in another, nor a password.
 */
function usualScheme(
  operations: readonly OpenAPIV3.OperationObject[],
  security: readonly Requirement[],
  schemes: Schemes,
): Scheme | undefined {
  const taken = operations.map((operation) =>
    (operation.security ?? security).flatMap((requirement) => onlyScheme(requirement, schemes) ?? []),
  );
  const candidates = [...new Map(taken.flat().map((scheme) => [wordsFor(scheme), scheme])).values()];
  const takers = (scheme: Scheme): number =>
    taken.filter((one) => one.some((other) => isSame(other, scheme))).length;
  const isBearer = ({ kind }: Scheme): number => (kind === 'bearer' ? 1 : 0);
  const [usual] = candidates.sort((a, b) => takers(b) - takers(a) || isBearer(b) - isBearer(a));
  return usual;
}

/** @throws {ContractError} if the credential of the other operations meets none of the requirements */
function requirementsOf(
  id: string,
  written: readonly Requirement[],
  schemes: Schemes,
  usual: Scheme | undefined,
): Requirement[] {
  const isOptional = written.some((requirement) => Object.keys(requirement).length === 0);
  const met = written.find((requirement) => {
    const scheme = onlyScheme(requirement, schemes);
    return scheme !== undefined && usual !== undefined && isSame(scheme, usual);
  });
  if (met !== undefined) {
    const [name = ''] = Object.keys(met);
    return [{ [name]: [] }, ...(isOptional ? [{}] : [])];
  }
  if (isOptional || written.length === 0) return [];
  const others = written.flatMap((requirement) => onlyScheme(requirement, schemes) ?? []);
  const why =
    others.length > 0 && usual !== undefined
      ? `it needs ${others.map(wordsFor).join(' or ')}, and most operations take ${wordsFor(usual)}`
      : 'it needs credentials other than one bearer token, user and password, or API key';
  throw new ContractError(`${id} is left out: ${why}.`);
}

type Parameters = (OpenAPIV3.ParameterObject | OpenAPIV3.ReferenceObject)[];

/** @throws {ContractError} if a required parameter cannot be written */
function parametersOf(
  id: string,
  written: Parameters,
  scheme: Scheme | undefined,
  say: (what: string) => void,
): Parameters {
  const usual: Readonly<Record<string, string>> = {
    path: 'simple',
    query: 'form',
    header: 'simple',
    cookie: 'form',
  };
  const byKey = new Map(
    written.map((parameter) => ['$ref' in parameter ? parameter.$ref : keyOf(parameter), parameter]),
  );
  return [...byKey.values()].flatMap((parameter): Parameters => {
    if ('$ref' in parameter) return [parameter];
    const { allowEmptyValue, ...kept } = parameter;
    // OpenAPI 3.0.3, "Parameter Object": these headers are described elsewhere.
    if (kept.in === 'header' && ignoredHeaders.has(kept.name.toLowerCase())) return [];
    // Some documents describe the key twice.
    if (scheme?.kind === 'apiKey' && keyOf(kept) === keyOf(scheme)) return [];
    if (kept.schema !== undefined && (kept.style ?? usual[kept.in]) === usual[kept.in]) return [kept];
    const why = kept.schema === undefined ? 'has no schema' : `has the style ${kept.style}`;
    if (kept.required) throw new ContractError(`${id} is left out: its parameter ${kept.name} ${why}.`);
    say(`${id} is tried without its parameter ${kept.name}, which ${why}.`);
    return [];
  });
}

function keyOf({ in: place, name }: Pick<OpenAPIV3.ParameterObject, 'in' | 'name'>): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

/** @throws {ContractError} if a body is needed, and none is JSON */
function bodyOf(
  id: string,
  body: NonNullable<OpenAPIV3.OperationObject['requestBody']>,
  say: (what: string) => void,
): OpenAPIV3.OperationObject['requestBody'] {
  if ('$ref' in body) return body;
  const content = Object.entries(body.content).filter(
    ([type, { schema }]) => isJson(type) && schema !== undefined,
  );
  const others = Object.keys(body.content).filter((type) => content.every(([kept]) => kept !== type));
  if (content.length > 0) {
    if (others.length > 0) say(`${id} is tried without bodies of ${others.join(', ')}.`);
    const limits = 'x-limits' in body ? body['x-limits'] : noLimits;
    const plain = content.map(([type, media]) => [plainType(type), media]);
    return { ...body, content: Object.fromEntries(plain), ...{ 'x-limits': limits } };
  }
  if (body.required)
    throw new ContractError(`${id} is left out: its body is ${others.join(' or ')}, which is not JSON.`);
  say(`${id} is tried without a body, because it takes ${others.join(' or ')}.`);
  return undefined;
}

/** Describes one media type of JSON, if there is any: description.ts reads all of them. */
function withoutOtherTypes({ content, ...response }: OpenAPIV3.ResponseObject): OpenAPIV3.ResponseObject {
  const json = Object.entries(content ?? {}).find(
    ([type, { schema }]) => isJson(type) && schema !== undefined,
  );
  return json === undefined ? response : { ...response, content: { [plainType(json[0])]: json[1] } };
}
