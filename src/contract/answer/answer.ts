import { once } from 'node:events';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Operation } from '../document/operations.js';
import type { AnyAnswer } from '../handlers.js';
import type { CheckAnswer } from './response-check.js';

/** Sets status and headers, and returns text. */
export function answerWith(
  reply: FastifyReply,
  { status, headers = {}, body }: AnyAnswer,
  responses: Operation['responses'],
  check: CheckAnswer | undefined,
): Promise<Readable> | string | undefined {
  const checkBody = (value: unknown) => check?.(status, { ...reply.getHeaders(), ...headers }, value);
  if (!isPages(body)) checkBody(body);
  // First, because a failure's answer must not have these.
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
  if (isPages(body)) return streamOf(reply, arrayText(body, serialize, checkBody)).then(withHead);
  // Fastify would send a string without quotes, and null without a body.
  return withHead(serialize(body));
}

/** Fastify knows `4XX` as `4xx`. */
function serializerOf(reply: FastifyReply, key: string, mediaType: string): Serialize {
  // Documented answers have one, which takes their values.
  return reply.getSerializationFunction(key.toLowerCase(), mediaType) as Serialize;
}

/** Reads the first page before sending, so that its failure gets an answer. */
async function streamOf(reply: FastifyReply, texts: AsyncIterable<string>): Promise<Readable> {
  const stream = Readable.from(countedBytes(reply, texts), { objectMode: false });
  await once(stream, 'readable');
  return stream;
}

async function* countedBytes(reply: FastifyReply, texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) {
    const bytes = Buffer.from(text);
    reply.streamedBytes += bytes.length;
    yield bytes;
  }
}

type Pages = AsyncIterable<readonly unknown[]>;
type Serialize = (body: unknown) => string;

function isPages(body: unknown): body is Pages {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

async function* arrayText(
  pages: Pages,
  serialize: Serialize,
  check: (page: unknown) => void,
): AsyncGenerator<string> {
  let opening = '[';
  for await (const page of pages) {
    check(page);
    if (page.length === 0) continue;
    // Without the page's brackets.
    yield opening + serialize(page).slice(1, -1);
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}
