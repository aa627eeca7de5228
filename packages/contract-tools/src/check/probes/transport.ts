/**
 * Sends wrong requests that a server must refuse (mutations.ts), and then equivalents of good requests, in
 * HTTP and JSON, that it must accept, because the sender may choose between them.
 */

import { isReadAsJson } from '../../document/media-types.js';
import { isSafe, type Operation, type RequestBody } from '../../document/operations.js';
import { accepted } from '../answers/expectations.js';
import { type Request, withBodyHeaders } from '../requests/request.js';
import { nestedTo, paddedTo, withBody } from './mutation.js';
import { mutationsOf } from './mutations.js';
import type { ProbeRun } from './probe-run.js';
import type { RowTrial } from './trial.js';
import { isAlikeWithout, tryVariants, type Variant } from './variants.js';

/** A change after which a good request still means the same. */
interface Equivalent extends Pick<Variant, 'by' | 'change' | 'others'> {
  /** The case in a few words, for the finding. */
  readonly why: string;
  /** The request, in words that continue "a request that". */
  readonly request: string;
}

export async function probeTransport(trial: RowTrial): Promise<void> {
  const { run } = trial;
  await tryVariants(trial, (operation) => mutationsOf(run, operation));
  await tryVariants(trial, (operation) =>
    [...headerEquivalents(operation), ...bodyEquivalents(run, operation), ...pathEquivalents(operation)].map(
      (equivalent) => otherwise(run, operation, equivalent),
    ),
  );
}

function otherwise(run: ProbeRun, operation: Operation, equivalent: Equivalent): Variant {
  const { why, request, ...change } = equivalent;
  return {
    ...change,
    operation,
    description: why,
    expectation: { ...accepted(operation), request },
    isElsewhere: (status) => isAlikeWithout(run, operation, status),
  };
}

/**
 * HTTP lets a server answer these with 206, 304, 406 or 412, or by another operation (RFC 9110, sections 12
 * to 14).
 */
const answeredOtherwise = /^(accept|accept-language|accept-charset|if-.*|range|x-.*)$/i;

/** Headers that mean nothing unless the document mentions them. */
function headerEquivalents(operation: Operation): Equivalent[] {
  // A document that has one of these statuses mentions its header: OpenAPI has no parameter `Accept`, for example. So does
  // one in which an answer has several forms.
  const headers: [name: string, value: string, ...statuses: number[]][] = [
    ['Accept', 'text/html', 406],
    ['Accept', ''],
    ['Accept-Language', 'xx', 406],
    ['Connection', 'close'],
    ['Cookie', 'a=b'],
    ['If-None-Match', '*', 304, 412],
    ['Range', 'bytes=0-0', 206],
    // A server that obeys it must not change what the checker has not made.
    ['X-HTTP-Method-Override', isSafe(operation) ? 'HEAD' : 'GET'],
    ['X-Unknown', 'é'],
  ];
  const mentioned = operation.parameters.map((parameter) =>
    parameter.in === 'cookie' ? 'cookie' : parameter.name.toLowerCase(),
  );
  if (hasSeveralForms(operation)) mentioned.push('accept');
  const unmentioned = headers.filter(([name]) => !mentioned.includes(name.toLowerCase()));
  return unmentioned.map(([name, value, ...others]) => ({
    why: value === '' ? `no ${name}` : `${name}: ${value}`,
    others,
    request: 'has a header that the document does not mention',
    ...(answeredOtherwise.test(name) && { by: 'unmentioned-headers' as const }),
    change: (request) => ({
      ...request,
      headers: [
        ...request.headers.filter(([other]) => other !== name),
        ...(value === '' ? [] : [[name, value] as const]),
      ],
    }),
  }));
}

/** Whether a server may choose by `Accept` to answer what is not JSON. */
function hasSeveralForms({ responses }: Operation): boolean {
  const types = [...responses.values()].map(({ content }) => [...content.keys()]);
  return types.some((all) => all.some(isReadAsJson) && !all.every(isReadAsJson));
}

function bodyEquivalents(run: ProbeRun, { body }: Operation): readonly Equivalent[] {
  if (body === undefined) return run.description.rules.on.has('strict-json') ? ignoredBodies : [];
  const { mediaType, limits, parts } = body;
  const typed = (type: string): Equivalent => ({
    why: `Content-Type: ${type}`,
    request: 'writes its media type otherwise',
    change: (request) => withBodyHeaders(request, [['Content-Type', type]]),
  });
  const ofJson: readonly Equivalent[] = [
    // RFC 9110, sections 8.3.1 and 8.3.2: type, subtype, parameter names and charsets are case-insensitive.
    ...[mediaType.toUpperCase(), `${mediaType}; charset="utf-8"`, `${mediaType} ; CHARSET=Utf-8`].map(typed),
    {
      // RFC 8259, section 2.
      why: 'white space around',
      request: 'has white space around',
      change: (request) => withBody(request, Buffer.from(` \r\n\t${request.body ?? ''}\n`)),
    },
  ];
  return [
    ...(parts === undefined ? ofJson : []),
    {
      why: 'the body in one chunk',
      request: 'comes in chunks',
      change: (request) => ({ ...request, chunks: [] }),
    },
    {
      why: 'each byte a chunk',
      request: 'comes in chunks of one byte',
      change: (request) => ({ ...request, chunks: Array.from({ length: 30 }, (_, index) => index + 1) }),
    },
    {
      why: 'Expect: 100-continue',
      request: 'expects 100',
      change: (request) => ({ ...request, headers: [...request.headers, ['Expect', '100-continue']] }),
    },
    ...(limits === undefined ? [] : limitEquivalents(limits)),
  ];
}

function limitEquivalents(limits: NonNullable<RequestBody['limits']>): Equivalent[] {
  return [
    {
      why: 'as many bytes as are allowed',
      request: 'has as many bytes as are allowed',
      change: (request) => paddedTo(request, limits.bytes),
    },
    {
      why: 'as many bytes as are allowed, in chunks',
      request: 'has as many bytes as are allowed',
      change: (request) => ({ ...paddedTo(request, limits.bytes), chunks: [1_000] }),
    },
    ...[
      ['[', ']'],
      ['{"a":', '}'],
    ].map(([open = '', close = '']) => ({
      why: `as deep as is allowed: ${open}…${close}`,
      request: 'is as deep as is allowed',
      change: (request: Request) => nestedTo(request, limits.depth, open, close),
    })),
  ];
}

/**
 * Bodies that a server must ignore if the document says so. HTTP itself gives the body of such a request no
 * meaning (RFC 9110, section 9.3.1).
 */
const ignoredBodies: readonly Equivalent[] = [
  ['application/json', '{}'],
  ['application/json', 'not JSON'],
  ['text/plain', 'text'],
  ['no media type', 'text'],
  ['application/json', ''],
].map(([type = '', text = '']) => ({
  why: `a body that nobody asked for: ${type} "${text}"`,
  request: 'has a body that nobody asked for',
  change: (request) => withBodyHeaders(withBody(request, Buffer.from(text)), [['Content-Type', type]]),
}));

/** RFC 3986, section 2.3: unreserved characters may be percent-encoded, and mean the same. */
function pathEquivalents(operation: Operation): Equivalent[] {
  const unknown: Equivalent = {
    why: 'a query parameter that nothing names',
    request: 'has a query parameter that nothing names',
    by: 'unknown-query-parameters',
    change: (request) => ({
      ...request,
      target: `${request.target}${request.target.includes('?') ? '&' : '?'}unknown=1&x`,
    }),
  };
  if (!operation.path.includes('{')) return [unknown];
  return [
    unknown,
    {
      why: 'digits that are percent-encoded',
      request: 'percent-encodes what it need not',
      change: (request) => ({
        ...request,
        // Short text: the check has made the request. What is percent-encoded already stays as it is.
        target: request.target.replace(/%[0-9A-F]{2}|[0-9](?=[^/]*$)/gi, (one) =>
          one.startsWith('%') ? one : `%${one.charCodeAt(0).toString(16)}`,
        ),
      }),
    },
  ];
}
