import { once } from 'node:events';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AnyAnswer } from './handlers.js';
import type { Operation } from './operations.js';
import type { CheckAnswer } from './response-check.js';

/**
 * From what a handler answered to what Fastify sends: status and headers are in the reply, the body is returned,
 * written by Fastify's serializers, which were made from the YAML at the start.
 */
export function answerWith(
  reply: FastifyReply,
  { status, headers = {}, body }: AnyAnswer,
  responses: Operation['responses'],
  check: CheckAnswer | undefined,
): Promise<Readable> | string | undefined {
  const checkBody = (value: unknown) => check?.(status, headers, value);
  if (!isPages(body)) checkBody(body);
  // Whatever can fail comes first: no header of this answer may be left on the answer to a failure.
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
  }
  if (body === undefined) {
    reply.code(status).headers(headers);
    return undefined;
  }
  const response = responses.get(status);
  if (response?.content === undefined) throw new Error(`The status ${status} has no body in the contract.`);
  const { mediaType, sentType } = response.content;
  const serialize = serializerOf(reply, response.key, mediaType);
  const withHead = <Sent>(sent: Sent): Sent => {
    reply.code(status).headers(headers).type(sentType);
    return sent;
  };
  if (isPages(body)) return streamOf(body, serialize, checkBody).then(withHead);
  // Text, for Fastify would send a string as it is, and null as no body.
  return withHead(serialize(body));
}

/** Fastify compiles one serializer for each key of `responses` and media type, and knows `4XX` as `4xx`. */
function serializerOf(reply: FastifyReply, key: string, mediaType: string): Serialize {
  // It is there for what is documented. By its type it takes objects; it takes what the contract documents.
  return reply.getSerializationFunction(key.toLowerCase(), mediaType) as Serialize;
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
