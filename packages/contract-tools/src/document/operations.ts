/**
 * Describes the operations of any document for whoever sends or serves requests: the checker and the mock.
 *
 * A document can ask for what nothing here can write: a body of XML, a parameter in the style `deepObject`,
 * a client's certificate. Such a parameter or body is left out if it is optional, and otherwise the
 * operation is, and a sentence says so. What is left can be tried as it is described.
 */

import { ContractError } from '../../../exact-json/index.js';
import { placeOf, type Scheme } from './credentials.js';
import { fixedMethods } from './grammar.js';
import { LeftOutError } from './left-out.js';
import { covers, isJson, plainType } from './media-types.js';
import type { Node } from './node.js';
import type { ApiDocument } from './read-document.js';
import { type Response, responsesOf, streamsOf } from './responses.js';
import { type Secured, Security, schemesOf } from './security.js';
import { type Upload, uploadsOf } from './uploads.js';

const places = ['path', 'query', 'header', 'cookie'] as const;
type ParameterPlace = (typeof places)[number];

export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  /** Whether each item of an array in the query repeats the name (OpenAPI 3.0.3, "explode"). */
  readonly exploded: boolean;
  readonly schema: Node;
  /** What the document says of it; empty if it says nothing. */
  readonly description: string;
  /** The document's examples of its value, and that of its schema. */
  readonly examples: readonly Node[];
}

export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: string;
  readonly schema: Node;
  /** The parts of a body that holds files (uploads.ts); undefined if it is JSON. */
  readonly parts?: Upload['parts'] | undefined;
  /** The member `x-limits` of the document; undefined if there is none. */
  readonly limits: { readonly bytes: number; readonly depth: number } | undefined;
  readonly node: Node;
}

/** Whether an operation changes nothing (RFC 9110, section 9.2.1). */
export function isSafe({ method }: Operation): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);
}

/** One of several descriptions with the same id, if the body may have several media types. */
export interface Operation extends Secured {
  /** The operationId, or the method and the path if there is none of its own. */
  readonly id: string;
  /** The method in upper case, such as GET. */
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** The response of each status from 200 to 599 that the document describes. */
  readonly responses: ReadonlyMap<number, Response>;
  readonly node: Node;
  /** The path before that of its requests, if it is served elsewhere than the others: `/v2`, or an empty text. */
  readonly base?: string | undefined;
}

/** An operation that nothing here can send, with the reason. */
export interface Excluded extends Pick<Operation, 'id' | 'method' | 'path'> {
  readonly why: string;
  readonly node: Node;
}

export interface Described {
  readonly operations: readonly Operation[];
  readonly excluded: readonly Excluded[];
  /** A sentence for each operation, parameter or body that is left out. */
  readonly leftOut: readonly string[];
  /** The security scheme that most operations take; undefined if none does. */
  readonly usualScheme: Scheme | undefined;
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

/**
 * @param sendsFiles whether operations are tried whose bodies hold files
 * @throws {ContractError} if none of the operations can be tried
 */
export function operationsOf(document: Pick<ApiDocument, 'root' | 'place'>, sendsFiles = false): Described {
  const leftOut: string[] = [];
  const excluded: Excluded[] = [];
  const written = writtenOperations(document.root);
  const security = new Security(document.root, written);
  const ids = new Set<string>();
  const operations = written.flatMap((one) => {
    const name = `${one.method} ${one.path}`;
    const own = one.node.text('operationId');
    const id = own === undefined || ids.has(own) ? name : own;
    ids.add(id);
    try {
      return describe(id, one, security, sendsFiles, (what) => leftOut.push(what));
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw error;
      leftOut.push(`${id} is left out: ${error.message}`);
      excluded.push({ id, why: error.message, node: one.node, method: one.method, path: one.path });
      return [];
    }
  });
  if (operations.length === 0) {
    const reasons = leftOut.slice(0, 3).join(' ');
    throw new ContractError([`${document.place(['paths'])}: no operation can be tried. ${reasons}`]);
  }
  return { operations, excluded, leftOut, usualScheme: security.usual };
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
    .flatMap(([path, item]) => operationsOfItem(item).map((one) => ({ path, item, ...one })));
}

/** @returns the operations of a path item, in the order of the specification */
export function operationsOfItem(item: Node): Pick<Written, 'method' | 'node'>[] {
  const fixed = fixedMethods.flatMap((method) => {
    const node = item.at(method);
    return node === undefined ? [] : [{ method: method.toUpperCase(), node }];
  });
  const others = item.at('additionalOperations')?.members() ?? [];
  return [...fixed, ...others.map(([method, node]) => ({ method, node }))];
}

/**
 * @returns a description for each media type of the body; one if it has none
 * @throws {LeftOutError} if no request of the operation can be written
 */
function describe(
  id: string,
  { path, method, item, node }: Written,
  security: Security,
  sendsFiles: boolean,
  say: (what: string) => void,
): Operation[] {
  const secured = security.requirementsOf(node);
  const operation = {
    ...{ id, method, path, node },
    ...secured,
    parameters: parametersOf(id, path, [item, node], schemesOf(secured), say),
    responses: responsesOf(node),
  };
  for (const type of streamsOf(node)) say(`${id} is tried without a look at the items of its ${type}.`);
  return bodiesOf(id, node.at('requestBody'), sendsFiles, say).map((body) => ({ ...operation, body }));
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
  schemes: readonly Scheme[],
  say: (what: string) => void,
): Parameter[] {
  const written = nodes.flatMap((node) => node.list('parameters'));
  const keys = schemes.flatMap((scheme) => (scheme.kind === 'apiKey' ? placeOf(scheme) : []));
  const byKey = new Map(written.map((node) => [keyOf(node.text('in'), node.text('name')), node]));
  const read = [...byKey].flatMap(([key, node]) => {
    const name = node.text('name') ?? '';
    const place = places.find((one) => one === node.text('in'));
    if (place === 'header' && ignoredHeaders.has(name.toLowerCase())) return [];
    // Some documents describe the key twice.
    if (keys.includes(key)) return [];
    const required = node.flag('required') || place === 'path';
    const schema = node.at('schema');
    const parts = place === 'query' && node.text('style') === 'deepObject' ? partsOf(name, schema) : [];
    if (parts.length > 0 && !required) return parts;
    const why = whyUnwritable(place, schema, node.text('style'));
    if (why === undefined && place !== undefined && schema !== undefined) {
      const exploded = node.at('explode')?.value !== false;
      const description = node.text('description') ?? '';
      return [{ name, in: place, required, exploded, schema, description, examples: examplesOf(node) }];
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

/**
 * The members of an object in the style "deepObject", each of which is written as a parameter of its own: `price[gt]=5`.
 * A map with free names has one under the name "a".
 */
function partsOf(name: string, schema: Node | undefined): Parameter[] {
  const named = schema?.at('properties')?.members() ?? [];
  const others = named.length > 0 ? undefined : schema?.at('additionalProperties');
  const free = typeof others?.value === 'object' ? [['a', others] as const] : [];
  return [...named, ...free]
    .filter(([, part]) => !['array', 'object'].includes(part.text('type') ?? ''))
    .map(([key, part]) => ({
      ...{ name: `${name}[${key}]`, in: 'query' as const, required: false, exploded: true },
      ...{ schema: part, description: part.text('description') ?? '', examples: [] },
    }));
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

/** @throws {LeftOutError} if a body is needed, and none can be made */
function bodiesOf(
  id: string,
  node: Node | undefined,
  sendsFiles: boolean,
  say: (what: string) => void,
): (RequestBody | undefined)[] {
  if (node === undefined) return [undefined];
  const content = node.at('content')?.members() ?? [];
  const json = content.filter(([type, media]) => isJson(type) && media.at('schema') !== undefined);
  const uploads = sendsFiles && json.length === 0 ? uploadsOf(content) : [];
  const isMade = ([type]: readonly [string, Node]): boolean =>
    json.some(([other]) => other === type) || uploads.some(({ mediaType }) => covers(type, mediaType));
  const others = content.filter((one) => !isMade(one)).map(([type]) => type);
  const required = node.flag('required');
  const common = { required, limits: limitsOf(node), node };
  if (json.length === 0 && uploads.length === 0) {
    const why = sendsFiles ? 'of which nothing here can be made' : 'which is not JSON';
    if (required) throw new LeftOutError(`its body is ${others.join(' or ')}, ${why}.`);
    say(`${id} is tried without a body, because it takes ${others.join(' or ')}.`);
    return [undefined];
  }
  if (others.length > 0) say(`${id} is tried without bodies of ${others.join(', ')}.`);
  // A range of media types is one of them here.
  const byType = new Map(json.map(([type, media]) => [plainType(type), media]));
  const ofJson = [...byType].flatMap(([mediaType, media]) => {
    const schema = media.at('schema')?.facing('request');
    return schema === undefined ? [] : [{ ...common, mediaType, schema }];
  });
  return [
    ...ofJson,
    ...uploads.map(({ schema, ...upload }) => ({ ...common, ...upload, schema: schema.facing('request') })),
  ];
}

function limitsOf(body: Node): RequestBody['limits'] {
  const written = body.at('x-limits');
  const [bytes, depth] = [written?.number('bytes'), written?.number('depth')];
  return bytes === undefined || depth === undefined
    ? undefined
    : { bytes: Number(bytes), depth: Number(depth) };
}
