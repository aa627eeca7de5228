/**
 * The grammar of OpenAPI: which kind of object stands under each key of another.
 *
 * A member may be called "items" or "example", and an example may have a member `$ref`: neither means there
 * what it means elsewhere. So nothing in a document can be understood by its key alone. `walk` goes through a
 * document from the top, and knows of each object what it is: a schema, a parameter, a response. What the
 * grammar does not name is data, such as the value of an example, or an extension: `walk` does not enter it.
 *
 * For example, in `{ properties: { items: { type: string } } }`, a schema, `items` is the name of a member,
 * and what stands there is a schema because `properties` is a map of schemas.
 *
 * The table has the kinds of 3.0, 3.1 and 3.2 together: whether a version has a key is asked by its published
 * schema (validity.ts).
 */
import { isMap, isReference, type Path } from '../../../exact-json/index.js';

export { isMap, isReference };

export type Kind =
  | 'document'
  | 'components'
  | 'paths'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'requestBody'
  | 'mediaType'
  | 'encoding'
  | 'responses'
  | 'response'
  | 'header'
  | 'callback'
  | 'example'
  | 'link'
  | 'schema'
  | 'securityScheme';

/** What stands under a key: one object, or a map or a list of them. */
type Below = Kind | { readonly map: Kind } | { readonly list: Kind };

/** The key `*` stands for all keys of the object that the table does not name, except extensions. */
type Grammar = Readonly<Record<Kind, Readonly<Record<string, Below>>>>;

const withContent = {
  content: { map: 'mediaType' },
  examples: { map: 'example' },
  schema: 'schema',
} as const;

const grammar: Grammar = {
  document: {
    paths: 'paths',
    webhooks: { map: 'pathItem' },
    components: 'components',
  },
  components: {
    schemas: { map: 'schema' },
    responses: { map: 'response' },
    parameters: { map: 'parameter' },
    examples: { map: 'example' },
    requestBodies: { map: 'requestBody' },
    headers: { map: 'header' },
    securitySchemes: { map: 'securityScheme' },
    links: { map: 'link' },
    callbacks: { map: 'callback' },
    pathItems: { map: 'pathItem' },
    mediaTypes: { map: 'mediaType' },
  },
  paths: { '*': 'pathItem' },
  pathItem: {
    parameters: { list: 'parameter' },
    get: 'operation',
    put: 'operation',
    post: 'operation',
    delete: 'operation',
    options: 'operation',
    head: 'operation',
    patch: 'operation',
    trace: 'operation',
    query: 'operation',
    additionalOperations: { map: 'operation' },
  },
  operation: {
    parameters: { list: 'parameter' },
    requestBody: 'requestBody',
    responses: 'responses',
    callbacks: { map: 'callback' },
  },
  parameter: withContent,
  requestBody: { content: { map: 'mediaType' } },
  mediaType: {
    schema: 'schema',
    itemSchema: 'schema',
    examples: { map: 'example' },
    encoding: { map: 'encoding' },
    prefixEncoding: { list: 'encoding' },
    itemEncoding: 'encoding',
  },
  encoding: { headers: { map: 'header' }, encoding: { map: 'encoding' } },
  responses: { '*': 'response' },
  response: { headers: { map: 'header' }, content: { map: 'mediaType' }, links: { map: 'link' } },
  header: withContent,
  callback: { '*': 'pathItem' },
  example: {},
  link: {},
  schema: {
    $defs: { map: 'schema' },
    definitions: { map: 'schema' },
    properties: { map: 'schema' },
    patternProperties: { map: 'schema' },
    dependentSchemas: { map: 'schema' },
    allOf: { list: 'schema' },
    anyOf: { list: 'schema' },
    oneOf: { list: 'schema' },
    prefixItems: { list: 'schema' },
    additionalProperties: 'schema',
    unevaluatedProperties: 'schema',
    propertyNames: 'schema',
    items: 'schema',
    unevaluatedItems: 'schema',
    contains: 'schema',
    contentSchema: 'schema',
    not: 'schema',
    if: 'schema',
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema, and nobody awaits the table.
    then: 'schema',
    else: 'schema',
  },
  securityScheme: {},
};

/** The keys of a path item that are operations in all versions, in the order of the specification. */
export const fixedMethods = [
  ...(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const),
];

/** An object of a document: what it is, and where it stands. */
export interface Place<Value> {
  readonly kind: Kind;
  readonly path: Path;
  readonly value: Value;
}

/** A child of an object, with its key. It need not be of the right form: the document may be invalid. */
interface Child {
  readonly kind: Kind;
  readonly keys: readonly (string | number)[];
  readonly value: unknown;
}

/**
 * @param value the object. A reference has no children: what it leads to stands elsewhere
 * @returns the objects directly below it that the grammar names
 */
export function childrenOf(kind: Kind, value: unknown): Child[] {
  if (!isMap(value) || isReference(value)) return [];
  return Object.entries(value).flatMap(([key, child]): Child[] => {
    const below = belowOf(kind, key);
    if (below === undefined) return [];
    if (typeof below === 'string') return [{ kind: below, keys: [key], value: child }];
    if ('list' in below) {
      const items = Array.isArray(child) ? child : [];
      return items.map((item, index) => ({ kind: below.list, keys: [key, index], value: item }));
    }
    const members = isMap(child) ? Object.entries(child) : [];
    return members
      .filter(([name]) => !(key === 'callbacks' && name.startsWith('x-')))
      .map(([name, member]) => ({ kind: below.map, keys: [key, name], value: member }));
  });
}

/**
 * Yields each object of a document before those in it. Data and extensions are not entered.
 *
 * @param enters whether the objects in one are yielded, too
 */
export function* walk(
  document: unknown,
  enters: (place: Place<unknown>) => boolean = () => true,
): Generator<Place<unknown>> {
  // A stack of its own, because a schema can be nested as deep as its author likes.
  const waiting: Place<unknown>[] = [{ kind: 'document', path: [], value: document }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    if (!enters(next)) continue;
    const { path: above } = next;
    for (const { kind, keys, value } of childrenOf(next.kind, next.value).reverse())
      waiting.push({ kind, path: [...above, ...keys], value });
  }
}

/** @returns what the grammar says of an object at a path; undefined if data stands there, or nothing */
export function kindAt(path: Path): Kind | undefined {
  let kind: Kind = 'document';
  for (let index = 0; index < path.length; index++) {
    const below = belowOf(kind, String(path[index]));
    if (below === undefined) return undefined;
    if (typeof below === 'string') kind = below;
    else {
      index++;
      if (index === path.length) return undefined;
      kind = 'map' in below ? below.map : below.list;
    }
  }
  return kind;
}

function belowOf(kind: Kind, key: string): Below | undefined {
  const known = grammar[kind];
  if (Object.hasOwn(known, key)) return known[key];
  return key.startsWith('x-') ? undefined : known['*'];
}
