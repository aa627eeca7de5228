import { once } from 'node:events';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AnyAnswer } from './handlers.js';
import type { Operation } from './operations.js';
import type { CheckAnswer } from './response-check.js';

/**
 * Sends a handler's answer: sets status and headers in the reply, and returns the body as text. Fastify made
 * the serializers from the YAML at the start.
 */
export function answerWith(
  reply: FastifyReply,
  { status, headers = {}, body }: AnyAnswer,
  responses: Operation['responses'],
  check: CheckAnswer | undefined,
): Promise<Readable> | string | undefined {
  const checkBody = (value: unknown) => check?.(status, headers, value);
  if (!isPages(body)) checkBody(body);
  // Everything that can fail comes first, so that the answer to a failure has no header of this one.
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
  // As text, because Fastify would send a string unquoted, and null as no body.
  return withHead(serialize(body));
}

/** Fastify has a serializer for each key of `responses` and media type, with `4XX` as `4xx`. */
function serializerOf(reply: FastifyReply, key: string, mediaType: string): Serialize {
  // Documented answers have one. Its type takes objects only, but it takes whatever the schema admits.
  return reply.getSerializationFunction(key.toLowerCase(), mediaType) as Serialize;
}

/**
 * Reads the first page before anything is sent, so that its failure still gets an answer. A later failure
 * aborts the transfer, which no client can take for a complete array.
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

/** Makes one JSON array of pages, which are read only as fast as the client takes them. */
async function* arrayText(
  pages: Pages,
  serialize: Serialize,
  check: (page: unknown) => void,
): AsyncGenerator<string> {
  let opening = '[';
  for await (const page of pages) {
    check(page);
    if (page.length === 0) continue;
    // The serializer writes whole arrays, so this removes its brackets.
    yield opening + serialize(page).slice(1, -1);
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}
