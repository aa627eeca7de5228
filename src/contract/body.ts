import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonError, type JsonValue, parseJson } from './json.js';
import type { Operation, RequestBody } from './operations.js';
import { InvalidRequestError, UnsupportedMediaTypeError } from './request-errors.js';

/** Replaces Fastify's parsers, which lose digits, by one that does not. Size is bounded by each route's `bodyLimit`. */
export function useExactJson(app: FastifyInstance, operations: readonly Operation[]): void {
  app.removeAllContentTypeParsers();
  const mediaTypes = operations.flatMap(({ requestBody }) => [...(requestBody?.content.keys() ?? [])]);
  app.addContentTypeParser(
    [...new Set(['application/json', ...mediaTypes])],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) =>
      readJson(bytes, request.routeOptions.config.operation?.requestBody),
  );
  // Only operations that take no body get here (see checkBodyHeaders): what came is not read.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
}

function readJson(bytes: Buffer, requestBody: RequestBody | undefined): JsonValue | undefined {
  if (requestBody === undefined) return undefined;
  // RFC 8259, section 8.1: JSON that is exchanged is UTF-8.
  if (!isUtf8(bytes)) throw new InvalidRequestError('The body is not UTF-8.');
  try {
    return parseJson(bytes.toString('utf8'), requestBody.limits.depth);
  } catch (error) {
    if (error instanceof JsonError) throw new InvalidRequestError(`The body ${error.message}.`);
    throw error;
  }
}

/** @throws {UnsupportedMediaTypeError} */
function checkContentType(contentType: string, { content }: RequestBody): void {
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (!content.has(mediaType)) {
    throw new UnsupportedMediaTypeError(`The Content-Type must be ${oneOf(content)}.`);
  }
  // RFC 8259, section 11 defines no charset parameter. Many clients send this one, and it changes nothing.
  const charsets = parameters.filter((parameter) => /^charset\s*=/.test(parameter));
  // RFC 6838, section 4.3: a parameter that comes twice is an error.
  if (charsets.length > 1 || charsets.some((charset) => !/^charset="?utf-8"?$/.test(charset))) {
    throw new UnsupportedMediaTypeError('The body must be encoded in UTF-8.');
  }
}

/** The media type of a body that came, without parameters; undefined if none came. */
export function mediaTypeOf({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

function oneOf(content: RequestBody['content']): string {
  return [...content.keys()].join(' or ');
}

/**
 * Whether a body will be read, by its headers, before any of it is.
 *
 * @throws {InvalidRequestError} where a required body is absent
 * @throws {UnsupportedMediaTypeError} where it is of another media type or charset, or coded
 */
export function checkBodyHeaders(
  { raw: { headers } }: FastifyRequest,
  requestBody: RequestBody | undefined,
): boolean {
  if (requestBody === undefined) {
    // A body that an operation does not take is ignored, and so is what is said about it: Fastify would
    // answer 415 to a DELETE with a Content-Type that it cannot parse.
    delete headers['content-type'];
    return false;
  }
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    if (requestBody.required)
      throw new InvalidRequestError(`A body is required: send ${oneOf(requestBody.content)}.`);
    // No schema is held against what is not there.
    delete headers['content-type'];
    return false;
  }
  const contentType = headers['content-type'] ?? '';
  // Most clients send just this.
  if (!requestBody.content.has(contentType)) checkContentType(contentType, requestBody);
  // RFC 9110, section 15.5.16: 415 is the answer to a content coding that is not supported, too.
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new UnsupportedMediaTypeError(
      'The body must not be compressed: send it without a Content-Encoding.',
    );
  }
  // RFC 9112, section 6.1: the same for the connection. Node.js sees to it that the last coding is "chunked", undoes
  // that one, and hands out what is left.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    throw new UnsupportedMediaTypeError('The body must come with no Transfer-Encoding but "chunked".');
  }
  // Of one that is longer, Fastify reads nothing, and fails with what becomes a 413.
  return length === undefined || Number(length) <= requestBody.limits.bytes;
}
