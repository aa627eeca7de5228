/**
 * Finds the operations that belong together by the document's shape alone: a collection and its items.
 *
 * Nothing here knows the name of a path or member. A path that ends in a parameter, such as `/gardens/{garden}`, is
 * that of an item, and the path without it, `/gardens`, that of its collection. Many APIs have items at a path
 * of their own instead: `POST /gardens/{garden}/beds` makes a bed, which then lives at `/beds/{bed}`. So if no
 * POST is on the path above, `createOf` looks for one elsewhere. Three things must be told, or there is no
 * resource, and `misshapenOf` says why:
 *
 * 1. A POST makes items, and its body is JSON or a file. If no POST does, the PUT of an item does, if it has a 201:
 *    RFC 9110, section 9.3.4, has that status for an item that is new.
 * 2. The id of a new item is known: from the create's body or path (the client chooses it), from its answer, or
 *    from its Location. It is a member that is named like the parameter, or `id`, and has the parameter's type.
 * 3. The create's body has members, which become the content that answers must show.
 *
 * A GET of the collection that answers an array is its list. GET, PUT, PATCH and DELETE of the item's path
 * are `get`, `replace`, `modify` and `remove`. Any of these may be missing.
 */

import type { Node } from '../document/node.js';
import type { Operation, Parameter, Paths } from '../document/operations.js';
import { successesOf } from '../document/statuses.js';
import { typeOf } from '../values/bounds.js';
import { layersOf } from '../values/layers.js';
import { type Member, membersOf } from '../values/sites.js';
import { unwrapped, wrapperOf } from './wrapper.js';

/** The place at which a client learns the id of an item that it creates. */
type IdPlace =
  | { readonly in: 'request' | 'answer'; readonly member: string }
  /** The path of the create has it, which is a PUT. Bodies show it as this member, if at all. */
  | { readonly in: 'path'; readonly member: string }
  | { readonly in: 'location' };

export interface Resource {
  readonly itemPath: string;
  /** The path above that of the item, or that of the create: `/gardens/{garden}/beds` for `/beds/{bed}`. */
  readonly collectionPath: string;
  /** The parameter of the item's path. */
  readonly parameter: Parameter;
  readonly id: IdPlace;
  /** The member of bodies that has everything in it; undefined if there is none (wrapper.ts). */
  readonly wrapper: string | undefined;
  /** The content of an item: all members of the create's body but the id. */
  readonly members: readonly Member[];
  readonly create: Operation;
  readonly list: Operation | undefined;
  readonly get: Operation | undefined;
  readonly replace: Operation | undefined;
  readonly modify: Operation | undefined;
  readonly remove: Operation | undefined;
}

/** What a document is asked for here. */
interface Pathed {
  readonly paths: Paths;
}

/** @returns the resources in the document's order */
export function resourcesOf({ paths }: Pathed): Resource[] {
  return itemPathsOf(paths).flatMap((path) => {
    const shape = shapeOf(paths, path);
    return typeof shape === 'string' ? [] : [shape];
  });
}

/** Lists the paths that look like those of items, and belong to no collection, each with the reason. */
export function misshapenOf({ paths }: Pathed): { readonly path: string; readonly why: string }[] {
  return itemPathsOf(paths).flatMap((path) => {
    const shape = shapeOf(paths, path);
    return typeof shape === 'string' ? [{ path, why: shape }] : [];
  });
}

const itemPath = /^(.+)\/\{([^{}]+)\}$/;

function itemPathsOf(paths: Paths): string[] {
  return [...paths.keys()].filter((path) => itemPath.test(path));
}

/** @returns a reason if nothing tells how to make the items of the path and know them again */
function shapeOf(paths: Paths, path: string): Resource | string {
  const items = paths.get(path) ?? [];
  const [, collection = '', name = ''] = itemPath.exec(path) ?? [];
  const parameter = items[0]?.parameters.find(
    (candidate) => candidate.in === 'path' && candidate.name === name,
  );
  if (parameter === undefined) return `nothing describes ${name}`;
  const create = createOf(paths, path, collection, parameter) ?? items.find(makesByPut);
  if (create === undefined) return 'no POST is known to make such items, and no PUT with a 201';
  if (create.body === undefined) return `${create.id} has no body that can be made`;
  const sent = layersOf(create.body.schema);
  const wrapper = wrapperOf(sent, answerLayers(create));
  const id = idPlaceOf(create, parameter, wrapper);
  if (id === undefined) return `nothing that ${create.id} takes or answers is the ${name} of the path`;
  const all = membersOf(unwrapped(sent, wrapper));
  if (all.length === 0) return `the body of ${create.id} has no members`;
  const isId = ({ name: member }: Member): boolean =>
    (id.in === 'request' || id.in === 'path') && member === id.member;
  const members = all.filter((member) => !isId(member));
  const collectionPath = create.method === 'PUT' ? collection : create.path;
  const list = [collectionPath, collection]
    .flatMap((one) => paths.get(one) ?? [])
    .find((operation) => operation.method === 'GET' && listOf(operation) !== undefined);
  const item = (method: string): Operation | undefined =>
    items.find((operation) => operation.method === method && (method !== 'GET' || hasObject(operation)));
  return {
    ...{ itemPath: path, collectionPath, parameter, id, wrapper, members, create, list },
    get: item('GET'),
    replace: withObjectBody(item('PUT')),
    modify: withObjectBody(item('PATCH')),
    remove: item('DELETE'),
  };
}

/**
 * Finds the operation that makes the items of a path. A POST on the path above does; otherwise one that has a
 * link to an operation of the item (OpenAPI 3.0.3, "Link Object"), whose path ends in the same word, or whose
 * 201 answers what a GET of the item answers, and that tells the id.
 */
function createOf(
  paths: Paths,
  path: string,
  collection: string,
  parameter: Parameter,
): Operation | undefined {
  const isPost = ({ method }: Operation): boolean => method === 'POST';
  const above = paths.get(collection)?.find(isPost);
  if (above !== undefined) return above;
  const items = paths.get(path) ?? [];
  const word = lastWord(collection);
  const elsewhere = [...paths.values()].flat().filter((operation) => {
    if (!isPost(operation) || operation.body === undefined) return false;
    // An action on an item makes no other one, and a POST on an item's own path is an action, too.
    if (operation.path.startsWith(`${path}/`) || itemPath.test(operation.path)) return false;
    const wrapper = wrapperOf(layersOf(operation.body.schema), answerLayers(operation));
    return idPlaceOf(operation, parameter, wrapper) !== undefined;
  });
  const get = items.find(({ method }) => method === 'GET');
  const shown = get === undefined ? [] : answerSchemas(get);
  // A login may answer with the user, whom it has not made: only a 201 tells that something is new.
  const isAlike = (operation: Operation): boolean =>
    operation.responses.get(201)?.key === '201' &&
    answerSchemas(operation).some((schema) => shown.some((other) => other.key === schema.key));
  return (
    elsewhere.find((operation) => linksOf(operation).some((id) => items.some((item) => item.id === id))) ??
    onlyOne(elsewhere.filter((operation) => word !== '' && lastWord(operation.path) === word)) ??
    onlyOne(elsewhere.filter(isAlike))
  );
}

function makesByPut({ method, body, responses }: Operation): boolean {
  return method === 'PUT' && body !== undefined && responses.get(201)?.key === '201';
}

/** If several could make an item, nothing tells which of them does. */
function onlyOne(operations: readonly Operation[]): Operation | undefined {
  const [first] = operations;
  return operations.every(({ id }) => id === first?.id) ? first : undefined;
}

function lastWord(path: string): string {
  return path.split(/[/{}]/).at(-1) ?? '';
}

/** The operations to which the links of a create's answers lead. */
function linksOf({ responses }: Operation): string[] {
  const successes = [...responses].filter(([status]) => status >= 200 && status < 300);
  return [...new Set(successes.map(([, response]) => response))].flatMap(({ node }) =>
    (node.at('links')?.members() ?? []).flatMap(([, link]) => link.text('operationId') ?? []),
  );
}

function answerSchemas(operation: Operation): Node[] {
  return successesOf(operation).flatMap((status) =>
    [...(operation.responses.get(status)?.content.values() ?? [])].flatMap((schema) => schema ?? []),
  );
}

export function operationsOf({ create, list, get, replace, modify, remove }: Resource): Operation[] {
  const all = [create, list, get, replace, modify, remove].filter((operation) => operation !== undefined);
  // A PUT may both create and replace.
  return [...new Set(all)];
}

/** The parameters in the path of the collection, outermost first: `garden` of `/gardens/{garden}/beds`. */
export function parentNamesOf({ collectionPath }: Pick<Resource, 'collectionPath'>): string[] {
  return Array.from(collectionPath.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name);
}

/** The names of an id in a body. `/labels/{label_gid}` may show it as `label_gid`, `id` or `gid`. */
function idNames(parameter: string): string[] {
  const words = parameter
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/);
  return [parameter, 'id', ...words.slice(-1).filter((word) => word.endsWith('id'))];
}

/** Finds the member by the names of an id, if its type is the parameter's. */
function idPlaceOf(
  create: Operation,
  { name, schema }: Parameter,
  wrapper: string | undefined,
): IdPlace | undefined {
  const type = typeOf(layersOf(schema));
  const named = (layers: readonly Node[]): string | undefined => {
    const members = membersOf(layers).filter((member) => typeOf(member.schemas.flatMap(layersOf)) === type);
    return idNames(name).find((candidate) => members.some((member) => member.name === candidate));
  };
  const sent = create.body && named(unwrapped(layersOf(create.body.schema), wrapper));
  const answered = named(unwrapped(answerLayers(create), wrapper));
  if (create.method === 'PUT') return { in: 'path', member: sent ?? answered ?? name };
  if (sent !== undefined) return { in: 'request', member: sent };
  if (answered !== undefined) return { in: 'answer', member: answered };
  const located = successesOf(create).some((status) =>
    create.responses.get(status)?.headers.some((header) => header.name.toLowerCase() === 'location'),
  );
  return located ? { in: 'location' } : undefined;
}

/** The schemas of what a request of a resource's operation contains. */
export function contentLayers({ body }: Operation, { wrapper }: Pick<Resource, 'wrapper'>): readonly Node[] {
  return body === undefined ? [] : unwrapped(layersOf(body.schema), wrapper);
}

/**
 * The schemas of the item that an answer shows.
 *
 * @param status of the answer; by default, all successes count
 */
export function shownLayers(
  operation: Operation,
  { wrapper }: Pick<Resource, 'wrapper'>,
  status?: number,
): readonly Node[] {
  return unwrapped(answerLayers(operation, status), wrapper);
}

/** The schemas of an operation's successful bodies, or of those with one status. */
export function answerLayers(operation: Operation, status?: number): Node[] {
  const statuses = successesOf(operation).filter((one) => one === (status ?? one));
  const responses = new Set(statuses.map((one) => operation.responses.get(one)));
  return [...responses]
    .flatMap((response) => [...(response?.content.values() ?? [])])
    .flatMap((schema) => (schema === undefined ? [] : layersOf(schema)));
}

/** The place of the items in a list's answer: it is the array itself, or the only array among its members. */
interface ListPlace {
  readonly member: string | undefined;
  readonly items: readonly Node[];
  /** The most items that one answer has; undefined if nothing says that a list may be cut. */
  readonly longest: number | undefined;
}

/** @returns undefined if the answer has no array, or several */
export function listOf(operation: Operation): ListPlace | undefined {
  const layers = answerLayers(operation);
  const members = membersOf(layers).filter(({ schemas }) => typeOf(schemas.flatMap(layersOf)) === 'array');
  const [member] = members;
  const array = typeOf(layers) === 'array' ? layers : (member?.schemas.flatMap(layersOf) ?? []);
  const items = array.flatMap((layer) => layer.at('items') ?? []).flatMap(layersOf);
  if (items.length === 0 || members.length > 1) return undefined;
  const caps = [...array.map((layer) => layer.number('maxItems')), ...operation.parameters.map(defaultOf)]
    .flatMap((cap) => cap ?? [])
    .map(Number);
  // One page of several: an envelope with more than the array in it, or a list with a page parameter.
  const paged = operation.parameters.some(({ name }) =>
    /page|cursor|offset|after|before|skip|start/i.test(name),
  );
  if (paged || (member !== undefined && membersOf(layers).length > 1)) caps.push(0);
  return { member: member?.name, items, longest: caps.length > 0 ? Math.min(...caps) : undefined };
}

function defaultOf({ schema }: Parameter): bigint | number | undefined {
  return schema.number('default');
}

function hasObject(operation: Operation): boolean {
  return membersOf(answerLayers(operation)).length > 0;
}

function withObjectBody(operation: Operation | undefined): Operation | undefined {
  const schema = operation?.body?.schema;
  return schema !== undefined && membersOf(layersOf(schema)).length > 0 ? operation : undefined;
}
