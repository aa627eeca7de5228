/**
 * Describes the operations of any document for whoever sends or serves requests: the checker and the mock.
 *
 * A document can ask for what nothing here can write: a body of XML, a parameter in the style `deepObject`,
 * two credentials at once. Such a parameter or body is left out if it is optional, and otherwise the
 * operation is, and a sentence says so. What is left can be tried as it is described.
 */
import { ContractError } from '../../../src/schema/contract-error.js';
import { type Scheme, schemeOf, wordsFor } from './credentials.js';
import { fixedMethods } from './grammar.js';
import { isJson, plainType, withoutParameters } from './media-types.js';
import type { Node } from './node.js';
import type { ApiDocument } from './read-document.js';

const places = ['path', 'query', 'header', 'cookie'] as const;
type ParameterPlace = (typeof places)[number];

export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  /** Whether each item of an array in the query repeats the name (OpenAPI 3.0.3, "explode"). */
  readonly exploded: boolean;
  readonly schema: Node;
  /** The document's examples of its value, and that of its schema. */
  readonly examples: readonly Node[];
}

export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: string;
  readonly schema: Node;
  /** The member `x-limits` of the document; undefined if there is none. */
  readonly limits: { readonly bytes: number; readonly depth: number } | undefined;
  readonly node: Node;
}

export interface Header {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Node | undefined;
  readonly node: Node;
}

export interface Response {
  /** The key in the document: `404`, `4XX` or `default`. */
  readonly key: string;
  readonly headers: readonly Header[];
  /** The keys are media types, the values the schemas of their bodies. It is empty if there is no body. */
  readonly content: ReadonlyMap<string, Node | undefined>;
  readonly node: Node;
}

/** Whether an operation changes nothing (RFC 9110, section 9.2.1). */
export function isSafe({ method }: Operation): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);
}

/** One of several descriptions with the same id, if the body may have several media types. */
export interface Operation {
  /** The operationId, or the method and the path if there is none of its own. */
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** How a credential is sent; undefined if the operation uses none. */
  readonly scheme: Scheme | undefined;
  /** Whether the operation uses a credential, and whether it can do without one. */
  readonly secured: boolean;
  readonly anonymous: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** The response of each status from 200 to 599 that the document describes. */
  readonly responses: ReadonlyMap<number, Response>;
  readonly node: Node;
}

/** An operation that nothing here can send, with the reason. */
export interface Excluded {
  readonly id: string;
  readonly why: string;
  readonly node: Node;
}

export interface Described {
  readonly operations: readonly Operation[];
  readonly excluded: readonly Excluded[];
  /** A sentence for each operation, parameter or body that is left out. */
  readonly leftOut: readonly string[];
}

/** The operation cannot be tried. The message says why. */
class LeftOutError extends Error {
  override readonly name = 'LeftOutError';
}

/** A path item with a method of it. */
export interface Written {
  readonly path: string;
  readonly method: string;
  readonly item: Node;
  readonly node: Node;
}

/** Header parameters that OpenAPI describes elsewhere (3.0.3, "Parameter Object"). */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);
const usualStyles: Readonly<Record<ParameterPlace, string>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};

/** @throws {ContractError} if none of the operations can be tried */
export function operationsOf(document: ApiDocument): Described {
  const leftOut: string[] = [];
  const excluded: Excluded[] = [];
  const written = writtenOperations(document.root);
  const credentials = new Credentials(document.root, written);
  const ids = new Set<string>();
  const operations = written.flatMap((one) => {
    const name = `${one.method} ${one.path}`;
    const own = one.node.text('operationId');
    const id = own === undefined || ids.has(own) ? name : own;
    ids.add(id);
    try {
      return describe(id, one, credentials, (what) => leftOut.push(what));
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw error;
      leftOut.push(`${id} is left out: ${error.message}`);
      excluded.push({ id, why: error.message, node: one.node });
      return [];
    }
  });
  if (operations.length === 0) {
    const reasons = leftOut.slice(0, 3).join(' ');
    throw new ContractError([`${document.place(['paths'])}: no operation can be tried. ${reasons}`]);
  }
  return { operations, excluded, leftOut };
}

/** The operations of each path, without those that differ only in the media type of the body. */
export type Paths = ReadonlyMap<string, readonly Operation[]>;

export function pathsOf(operations: readonly Operation[]): Paths {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const others = paths.get(operation.path) ?? [];
    if (others.every(({ id }) => id !== operation.id)) paths.set(operation.path, [...others, operation]);
  }
  return paths;
}

/** @returns the operations of the document's paths, in its order, and in that of the specification in a path */
export function writtenOperations(root: Node): Written[] {
  return (root.at('paths')?.members() ?? [])
    .filter(([path]) => path.startsWith('/'))
    .flatMap(([path, item]) => {
      const fixed = fixedMethods.flatMap((method) => {
        const node = item.at(method);
        return node === undefined ? [] : [{ path, method: method.toUpperCase(), item, node }];
      });
      const others = item.at('additionalOperations')?.members() ?? [];
      return [...fixed, ...others.map(([method, node]) => ({ path, method, item, node }))];
    });
}

/**
 * @returns a description for each media type of the body; one if it has none
 * @throws {LeftOutError} if no request of the operation can be written
 */
function describe(
  id: string,
  { path, method, item, node }: Written,
  credentials: Credentials,
  say: (what: string) => void,
): Operation[] {
  const requirement = credentials.requirementOf(node);
  const operation = {
    ...{ id, method, path, node },
    ...requirement,
    parameters: parametersOf(id, path, [item, node], credentials.usual, say),
    responses: responsesOf(node),
  };
  return bodiesOf(id, node.at('requestBody'), say).map((body) => ({ ...operation, body }));
}

/**
 * An operation's parameter overrides the path's of the same name (OpenAPI 3.0.3, "Operation Object").
 *
 * @throws {LeftOutError} if a required parameter cannot be written
 */
function parametersOf(
  id: string,
  path: string,
  nodes: readonly Node[],
  scheme: Scheme | undefined,
  say: (what: string) => void,
): Parameter[] {
  const written = nodes.flatMap((node) => node.list('parameters'));
  const byKey = new Map(written.map((node) => [keyOf(node.text('in'), node.text('name')), node]));
  const read = [...byKey].flatMap(([key, node]) => {
    const name = node.text('name') ?? '';
    const place = places.find((one) => one === node.text('in'));
    if (place === 'header' && ignoredHeaders.has(name.toLowerCase())) return [];
    // Some documents describe the key twice.
    if (scheme?.kind === 'apiKey' && key === keyOf(scheme.in, scheme.name)) return [];
    const required = node.flag('required') || place === 'path';
    const schema = node.at('schema');
    const why = whyUnwritable(place, schema, node.text('style'));
    if (why === undefined && place !== undefined && schema !== undefined) {
      const exploded = node.at('explode')?.value !== false;
      return [{ name, in: place, required, exploded, schema, examples: examplesOf(node) }];
    }
    if (required) throw new LeftOutError(`its parameter ${name} ${why}.`);
    say(`${id} is tried without its parameter ${name}, which ${why}.`);
    return [];
  });
  const described = new Set(read.flatMap((one) => (one.in === 'path' ? [one.name] : [])));
  const missing = namesIn(path).find((name) => !described.has(name));
  if (missing !== undefined)
    throw new LeftOutError(`nothing describes the parameter ${missing} of its path.`);
  return read;
}

/** @returns the names of the parameters in a path: `/plants/{id}` → `id` */
function namesIn(path: string): string[] {
  return Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name);
}

function whyUnwritable(
  place: ParameterPlace | undefined,
  schema: Node | undefined,
  style: string | undefined,
): string | undefined {
  if (place === undefined) return 'is the whole query';
  if (schema === undefined) return 'has no schema';
  return (style ?? usualStyles[place]) === usualStyles[place] ? undefined : `has the style ${style}`;
}

/** RFC 9110, section 5.1: header names are case-insensitive. */
function keyOf(place: string | undefined, name: string | undefined): string {
  return `${place} ${place === 'header' ? name?.toLowerCase() : name}`;
}

/** The examples of a parameter or a media type, and those of its schema. */
export function examplesOf(node: Node): Node[] {
  const named = node.list('examples').flatMap((example) => example.at('value') ?? []);
  return [...named, ...(node.at('schema')?.list('examples') ?? [])];
}

/** @throws {LeftOutError} if a body is needed, and none is JSON */
function bodiesOf(
  id: string,
  node: Node | undefined,
  say: (what: string) => void,
): (RequestBody | undefined)[] {
  if (node === undefined) return [undefined];
  const content = node.at('content')?.members() ?? [];
  const json = content.filter(([type, media]) => isJson(type) && media.at('schema') !== undefined);
  const others = content.filter((one) => !json.includes(one)).map(([type]) => type);
  const required = node.flag('required');
  if (json.length === 0) {
    if (required) throw new LeftOutError(`its body is ${others.join(' or ')}, which is not JSON.`);
    say(`${id} is tried without a body, because it takes ${others.join(' or ')}.`);
    return [undefined];
  }
  if (others.length > 0) say(`${id} is tried without bodies of ${others.join(', ')}.`);
  // A range of media types is one of them here.
  const byType = new Map(json.map(([type, media]) => [plainType(type), media]));
  return [...byType].flatMap(([mediaType, media]) => {
    const schema = media.at('schema')?.facing('request');
    return schema === undefined ? [] : [{ required, mediaType, schema, limits: limitsOf(node), node }];
  });
}

function limitsOf(body: Node): RequestBody['limits'] {
  const written = body.at('x-limits');
  const [bytes, depth] = [written?.number('bytes'), written?.number('depth')];
  return bytes === undefined || depth === undefined
    ? undefined
    : { bytes: Number(bytes), depth: Number(depth) };
}

/** The more specific key of a status wins (OpenAPI 3.0.3, "Responses Object"). */
function responsesOf(operation: Node): ReadonlyMap<number, Response> {
  const byKey = new Map(
    (operation.at('responses')?.members() ?? []).map(([key, node]) => [key, responseOf(key, node)]),
  );
  const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
  return new Map(
    statuses.flatMap((status) => {
      const keys = [String(status), `${String(status).charAt(0)}XX`, 'default'];
      const key = keys.find((one) => byKey.has(one));
      const response = key === undefined ? undefined : byKey.get(key);
      return response === undefined ? [] : [[status, response]];
    }),
  );
}

function responseOf(key: string, node: Node): Response {
  return {
    key,
    headers: (node.at('headers')?.members() ?? []).map(([name, header]) => ({
      name,
      required: header.flag('required'),
      schema: header.at('schema'),
      node: header,
    })),
    content: new Map(
      (node.at('content')?.members() ?? []).map(([type, media]) => [
        withoutParameters(type),
        media.at('schema')?.facing('response'),
      ]),
    ),
    node,
  };
}

/** How the operations of a document are secured. */
class Credentials {
  /** The scheme that most operations take; a bearer token, if others are taken as often. */
  readonly usual: Scheme | undefined;
  /** Those that one text alone meets. */
  readonly #schemes: ReadonlyMap<string, Scheme>;
  readonly #shared: readonly Node[];

  constructor(root: Node, operations: readonly Written[]) {
    const written = root.at('components', 'securitySchemes')?.members() ?? [];
    this.#schemes = new Map(
      written.flatMap(([name, node]) => {
        const scheme = schemeOf(node);
        return scheme === undefined ? [] : [[name, scheme]];
      }),
    );
    this.#shared = root.list('security');
    this.usual = this.#mostTaken(operations.map(({ node }) => this.#alternatives(node)));
  }

  /**
   * A caller has one credential, and an API key in one header is no key in another, nor a password.
   *
   * @throws {LeftOutError} if the credential of the other operations meets none of the requirements
   */
  requirementOf(operation: Node): Pick<Operation, 'scheme' | 'secured' | 'anonymous'> {
    const written = this.#alternatives(operation);
    const anonymous = written.length === 0 || written.some((names) => names.length === 0);
    const isMet = written.some((names) => {
      const scheme = this.#onlyScheme(names);
      return scheme !== undefined && this.usual !== undefined && isSame(scheme, this.usual);
    });
    if (isMet) return { scheme: this.usual, secured: true, anonymous };
    if (anonymous) return { scheme: undefined, secured: false, anonymous };
    const others = written.flatMap((names) => this.#onlyScheme(names) ?? []);
    throw new LeftOutError(
      others.length > 0 && this.usual !== undefined
        ? `it needs ${others.map(wordsFor).join(' or ')}, and most operations take ${wordsFor(this.usual)}.`
        : 'it needs credentials other than one bearer token, user and password, or API key.',
    );
  }

  /** The names of the schemes of each requirement, one of which a request must meet. */
  #alternatives(operation: Node): string[][] {
    const own = operation.at('security');
    const requirements = own === undefined ? this.#shared : own.members().map(([, node]) => node);
    return requirements.map((requirement) => requirement.members().map(([name]) => name));
  }

  /** A requirement may have several names of one scheme: one token can meet two of OAuth 2. */
  #onlyScheme(names: readonly string[]): Scheme | undefined {
    const [first, ...others] = names.map((name) => this.#schemes.get(name));
    return first && others.every((other) => other && isSame(other, first)) ? first : undefined;
  }

  #mostTaken(operations: readonly (readonly string[][])[]): Scheme | undefined {
    const taken = operations.map((alternatives) =>
      alternatives.flatMap((names) => this.#onlyScheme(names) ?? []),
    );
    const candidates = [...new Map(taken.flat().map((scheme) => [wordsFor(scheme), scheme])).values()];
    const takers = (scheme: Scheme): number =>
      taken.filter((one) => one.some((other) => isSame(other, scheme))).length;
    const isBearer = ({ kind }: Scheme): number => (kind === 'bearer' ? 1 : 0);
    const [usual] = candidates.sort((a, b) => takers(b) - takers(a) || isBearer(b) - isBearer(a));
    return usual;
  }
}

function isSame(one: Scheme, other: Scheme): boolean {
  return wordsFor(one) === wordsFor(other);
}
