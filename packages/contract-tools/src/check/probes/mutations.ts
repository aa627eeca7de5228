/**
 * Mutations: changes that make a good request wrong below the schemas, in the bytes of the body, in headers
 * or in the URL.
 *
 * Schemas say which values are wrong, and invalid-requests.ts breaks each of their keywords. But a server
 * also reads bytes before there are values: `{"id":1,}` is not JSON, `{"id":1,"id":2}` is read differently by
 * different readers, and `Content-Encoding: gzip` on a body that is not compressed may be ignored. No schema
 * says what is right there, but RFC 8259, RFC 9110 and the rules of the contract (../document/rules.ts) do.
 *
 * A mutation says in words what is wrong, how the server should refuse it (`refusal`, such as `mediaType` for
 * 415), which rule it breaks if neither OpenAPI nor HTTP forbids it, and how it changes a request. For example, the
 * mutation "one byte too many" of the mistake "a body over the limit of bytes" pads the body of createPlant with spaces to one byte more than `x-limits` allows, and a 413 is right.
 * security.ts sends the same mutations without good credentials, and the answer must be that of the
 * credentials: a server that parses a stranger's body before it asks who is calling fails there.
 *
 * An operation without a body has at most the seven mutations of the path. One with a body has about 60 of
 * its own.
 */

import { covers, withoutParameters } from '../../document/media-types.js';
import type { Operation, RequestBody } from '../../document/operations.js';
import type { RuleName } from '../../document/rule-table.js';
import { absencesAt } from '../answers/expectations.js';
import type { Run } from '../answers/run.js';
import { plainRequest } from '../requests/plain-request.js';
import { type Request, targetFor, withBodyHeaders } from '../requests/request.js';
import { strictnessMutations, syntaxMutations } from './json-mutations.js';
import { type Mutation, mutated, nestedTo, paddedTo, withBody } from './mutation.js';

/** Lists all mutations of an operation's requests. */
export function mutationsOf(run: Run, operation: Operation): Mutation[] {
  return [...pathMutations(operation), ...bodyMutations(run, operation)];
}

/**
 * Lists the mutations that leave the URL as it is. A request whose URL is broken addresses no operation, and
 * so no server has to ask for its token.
 */
export function bodyMutations({ description }: Run, operation: Operation): Mutation[] {
  const { body } = operation;
  if (body === undefined) return [];
  const { on } = description.rules;
  const isJson = body.parts === undefined;
  return [
    ...(isJson ? syntaxMutations(operation, body) : []),
    ...(isJson && on.has('strict-json') ? strictnessMutations(operation, body) : []),
    // Plain bytes may be none at all.
    ...(body.parts?.has('') === true ? [] : absenceMutations(operation, body)),
    ...headerMutations(operation, body),
    ...limitMutations(operation, body),
  ].filter(({ by }) => by === undefined || on.has(by));
}

/** RFC 3986, section 2.1: a "%" is followed by two hexadecimal digits; what they encode here is UTF-8. */
function pathMutations(operation: Operation): Mutation[] {
  const parameter = operation.parameters.find((candidate) => candidate.in === 'path');
  if (parameter === undefined) return [];
  const { path } = plainRequest(operation);
  const target = targetFor(operation, { path: { ...path, [parameter.name]: 'PLACE' } });
  return mutated(
    operation,
    { what: 'a broken percent-encoding in the path', refusal: 'syntax', path: parameter.schema.path },
    ['%', '%ZZ', '%1', '%FF', '%C3%28', '%E0%A4%A', '%ED%A0%80'].map((encoding) => ({
      description: `${parameter.name} is ${encoding}`,
      by: 'strict-urls',
      others: absencesAt(operation),
      change: (request) => ({ ...request, target: target.replace('PLACE', encoding) }),
    })),
  );
}

function absenceMutations(operation: Operation, { required, node }: RequestBody): Mutation[] {
  if (!required) return [];
  const mistake = { what: 'no body where one is required', refusal: 'syntax', path: node.path } as const;
  return mutated(operation, mistake, [
    {
      description: 'neither body nor Content-Type',
      // RFC 9110, section 15.5.16: the type is missing, too.
      others: [415],
      change: (request) => ({ ...withBodyHeaders(request, []), body: undefined }),
    },
    {
      description: 'a Content-Type without a body',
      change: (request) => ({ ...request, body: undefined }),
    },
    { description: 'a body of no bytes', change: (request) => withBody(request, Buffer.alloc(0)) },
    { description: 'no chunks', change: (request) => ({ ...request, body: Buffer.alloc(0), chunks: [] }) },
  ]);
}

function headerMutations(operation: Operation, { mediaType, node, parts }: RequestBody): Mutation[] {
  const documentsRefusal = operation.responses.get(415)?.key === '415';
  const documented =
    node
      .at('content')
      ?.members()
      .map(([type]) => type) ?? [];
  const [, subtype = ''] = mediaType.split('/');
  const types = [
    undefined,
    'text/plain',
    'text/plain; charset=utf-8',
    `text/${subtype}`,
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/xml',
    `${mediaType}x`,
    `application/x-${subtype}`,
    `application/unknown+${subtype}`,
    '*/*',
    'application/*',
    subtype,
    `${mediaType}, text/plain`,
    'application/json',
  ].filter((type) => type === undefined || !documented.some((key) => covers(key, type)));
  const charsets = ['utf-16', 'utf-16le', 'iso-8859-1', 'us-ascii', 'utf-32', 'unknown', '"iso-8859-1"'];
  const codings = ['gzip', 'deflate', 'br', 'x-unknown'];
  const path = node.at('content')?.path ?? node.path;
  const typed = (type: string | undefined): Request['headers'] =>
    type === undefined ? [] : [['Content-Type', type]];
  const mutations = <Name extends string | undefined>(
    what: string,
    names: readonly Name[],
    headersOf: (name: Name) => Request['headers'],
    ruleOf: (name: Name) => RuleName = () => 'body-headers',
  ): Mutation[] => {
    const ways = names.map((name) => ({
      ...{ description: name ?? 'no Content-Type', by: ruleOf(name) },
      change: (request: Request) => withBodyHeaders(request, headersOf(name)),
    }));
    return mutated(operation, { what, refusal: 'mediaType', path }, ways);
  };
  return [
    ...mutations('a body of another media type', types, typed, (type) => ruleAgainst(type, documentsRefusal)),
    ...mutations('a body of another charset', parts === undefined ? charsets : [], (charset) =>
      typed(`${mediaType}; charset=${charset}`),
    ),
    ...mutations('a body that is compressed', codings, (coding) => [
      ...typed(mediaType),
      ['Content-Encoding', coding],
    ]),
  ];
}

/**
 * Neither OpenAPI nor HTTP says that a server refuses a body of another media type. RFC 9110, section 8.3:
 * without a type, it may guess. What is a kind of JSON, or no type of its own, is more often taken by mistake.
 *
 * @param documentsRefusal whether the operation has a 415 of its own
 */
function ruleAgainst(type = '', documentsRefusal = false): RuleName {
  // A merge patch is JSON, and JSON is no merge patch.
  if (type === 'application/json' && documentsRefusal) return 'media-types';
  const isOther = /^[a-z]+\/[a-z+-]+$/.test(withoutParameters(type)) && !/json/.test(type);
  return isOther ? 'media-types' : 'body-headers';
}

function limitMutations(operation: Operation, { limits, node }: RequestBody): Mutation[] {
  if (limits === undefined) return [];
  const path = node.at('x-limits')?.path ?? node.path;
  const large = { what: 'a body over the limit of bytes', refusal: 'size', path } as const;
  const deep = { what: 'a body over the limit of depth', refusal: 'syntax', path } as const;
  return [
    ...mutated(operation, large, [
      { description: 'one byte too many', change: (request) => paddedTo(request, limits.bytes + 1) },
      { description: 'twice the bytes', change: (request) => paddedTo(request, limits.bytes * 2) },
      {
        description: 'one byte too many, in chunks',
        change: (request) => ({ ...paddedTo(request, limits.bytes + 1), chunks: [1_000, limits.bytes] }),
      },
    ]),
    ...mutated(operation, deep, [
      {
        description: 'arrays one level too deep',
        change: (request) => nestedTo(request, limits.depth + 1, '[', ']'),
      },
      {
        description: 'objects one level too deep',
        change: (request) => nestedTo(request, limits.depth + 1, '{"a":', '}'),
      },
      {
        description: 'arrays without end',
        change: (request) => nestedTo(request, Math.floor(limits.bytes / 4), '[', ']'),
      },
    ]),
  ];
}
