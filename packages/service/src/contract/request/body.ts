/**
 * Reads the body of a request: first what its header says of it, before a byte is read, then its JSON.
 *
 * By itself, Fastify would leave gaps. It hands a body of `text/plain`, or an absent one, to the handler
 * without validating it (fastify#2686, #6537), and its parser rounds large integers. So `checkBodyHeaders`
 * refuses what is not the JSON that the operation takes, and `useExactJson` replaces the parser. For example,
 * `Content-Type: text/plain` is a 415 before the body is read, and `{"id": 1, "id": 2}` is a 400 after it.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonError, type JsonValue, parseJson } from '../../../../exact-json/index.js';
import type { Operation, RequestBody } from '../document/operations.js';
import { inTickOfItsOwn } from './large-bodies.js';
import { InvalidRequestError, UnsupportedMediaTypeError } from './request-errors.js';

/** A longer body can take more than a tenth of a millisecond to read, so it is read in a tick of its own. */
const maxBytesAtOnce = 4 * 2 ** 10;

/**
 * Replaces Fastify's parser of JSON, which rounds large integers, by `parseJson`. The parser refuses a body
 * by an InvalidRequestError.
 */
export function useExactJson(app: FastifyInstance, operations: readonly Operation[]): void {
  app.removeAllContentTypeParsers();
  const mediaTypes = operations.flatMap(({ requestBody }) => [...(requestBody?.content.keys() ?? [])]);
  app.addContentTypeParser(
    [...new Set(['application/json', ...mediaTypes])],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      const read = () => readJson(bytes, request.routeOptions.config.operation?.requestBody);
      if (bytes.length <= maxBytesAtOnce) return read();
      const reading = inTickOfItsOwn(read);
      request.handling = reading;
      return reading;
    },
  );
  // checkBodyHeaders has refused other media types, so only operations without a request body get here.
  // fastify-openapi-glue also looks for a parser for each media type of an answer, does not count `*`, and warns.
  const answerTypes = operations.flatMap(({ responses }) =>
    Array.from(responses.values(), ({ content }) => content?.mediaType ?? '*'),
  );
  for (const type of new Set(['*', ...answerTypes])) {
    if (app.hasContentTypeParser(type)) continue;
    app.addContentTypeParser(type, (_request, _payload, done) => done(null, undefined));
  }
}

/** @throws {InvalidRequestError} if the body is not UTF-8, not JSON, or nests too deep */
function readJson(bytes: Buffer, requestBody: RequestBody | undefined): JsonValue | undefined {
  if (requestBody === undefined) return undefined;
  // JSON must be UTF-8 (RFC 8259, section 8.1).
  if (!isUtf8(bytes)) throw new InvalidRequestError('The body is not UTF-8.');
  try {
    return parseJson(bytes.toString('utf8'), requestBody.limits.depth);
  } catch (error) {
    if (error instanceof JsonError) throw new InvalidRequestError(`The body ${error.message}.`);
    throw error;
  }
}

/** @throws {UnsupportedMediaTypeError} if the operation does not take the media type or the charset */
function checkContentType(contentType: string, { content }: RequestBody): void {
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (!content.has(mediaType)) {
    throw new UnsupportedMediaTypeError(`The Content-Type must be ${oneOf(content)}.`);
  }
  // RFC 8259, section 11 defines no charset, but many clients send one.
  const charsets = parameters.filter((parameter) => /^charset\s*=/.test(parameter));
  // RFC 6838, section 4.3 forbids repeated parameters.
  if (charsets.length > 1 || charsets.some((charset) => !/^charset="?utf-8"?$/.test(charset))) {
    throw new UnsupportedMediaTypeError('The body must be encoded in UTF-8.');
  }
}

/**
 * @returns the media type of the body, in lower case and without parameters; undefined if the header names
 * none
 */
export function mediaTypeOf({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

function oneOf(content: RequestBody['content']): string {
  return [...content.keys()].join(' or ');
}

/**
 * Checks what the header says of the body, before a byte of it is read. Fastify itself answers 413 to a body
 * that is too long.
 *
 * @throws {InvalidRequestError} if a required body is absent
 * @throws {UnsupportedMediaTypeError} if the body is of another media type, charset or coding
 */
export function checkBodyHeaders(
  { raw: { headers } }: FastifyRequest,
  requestBody: RequestBody | undefined,
): void {
  if (requestBody === undefined) {
    // The operation ignores a body. Without this, Fastify would answer 415 to an invalid Content-Type.
    delete headers['content-type'];
    return;
  }
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    if (requestBody.required)
      throw new InvalidRequestError(`A body is required: send ${oneOf(requestBody.content)}.`);
    // Without Content-Type, Fastify validates no body.
    delete headers['content-type'];
    return;
  }
  const contentType = headers['content-type'] ?? '';
  if (!requestBody.content.has(contentType)) checkContentType(contentType, requestBody);
  // An unsupported coding is a 415, too (RFC 9110, section 15.5.16).
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new UnsupportedMediaTypeError(
      'The body must not be compressed: send it without a Content-Encoding.',
    );
  }
  // Node.js decodes only "chunked" (RFC 9112, section 6.1).
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    throw new UnsupportedMediaTypeError('The body must come with no Transfer-Encoding but "chunked".');
  }
}
