import { once } from 'node:events';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AnyAnswer } from './handlers.js';
import type { CheckAnswer } from './response-check.js';

const json = 'application/json';
/** As Fastify sends texts of JSON, but not streams. Left to it, the header is put together anew in each answer. */
const sentType = `${json}; charset=utf-8`;

/**
 * From what a handler answered to what Fastify sends: status and headers are in the reply, the body is returned,
 * written by Fastify's serializers, which were made from the YAML at the start.
 */
export function answerWith(
  reply: FastifyReply,
  { status, headers = {}, body }: AnyAnswer,
  check: CheckAnswer | undefined,
): Promise<Readable> | string | undefined {
  const checkBody = (value: unknown) => check?.(status, headers, value);
  if (!isPages(body)) checkBody(body);
  // Whatever can fail comes first: no header of this answer may be left on the answer to a failure.
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
  }
  const serialize = body === undefined ? undefined : serializerOf(reply, status);
  const withHead = <Content>(content: Content): Content => {
    reply.code(status).headers(headers);
    if (content !== undefined) reply.type(sentType);
    return content;
  };
  if (serialize === undefined) return withHead(undefined);
  if (isPages(body)) return streamOf(body, serialize, checkBody).then(withHead);
  // Text, for Fastify would send a string as it is, and null as no body.
  return withHead(serialize(body));
}

/**
 * Fastify compiles one serializer for each documented status and media type. Its types say that all take
 * objects; they take what the contract documents.
 */
function serializerOf(reply: FastifyReply, status: number): Serialize {
  const serialize = reply.getSerializationFunction(String(status), json) as Serialize | undefined;
  if (serialize === undefined) throw new Error(`The status ${status} has no ${json} body in the contract.`);
  return serialize;
}

/**
 * The first page is read before anything is sent, so that its failure is still an answer; a later failure
 * breaks the transfer off, which no client can take for a shorter array.
 */
async function streamOf(
  pages: Pages,
  serialize: Serialize,
  check: (page: unknown) => void,
): Promise<Readable> {
  const stream = Readable.from(arrayText(pages, serialize, check), { objectMode: false });
  await once(stream, 'readable');
  return stream;
}

type Pages = AsyncIterable<readonly unknown[]>;
type Serialize = (body: unknown) => string;

function isPages(body: unknown): body is Pages {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** One JSON array out of pages, read only as fast as the client takes them, and no further once it goes away. */
async function* arrayText(
  pages: Pages,
  serialize: Serialize,
  check: (page: unknown) => void,
): AsyncGenerator<string> {
  let opening = '[';
  for await (const page of pages) {
    check(page);
    if (page.length === 0) continue;
    // The serializer writes whole arrays: take its brackets off.
    yield opening + serialize(page).slice(1, -1);
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}
