/**
 * From the value that a handler returns to what Fastify sends.
 *
 * A whole body becomes one text. A long list comes in pages, because all of it may not fit into memory. Its
 * status is sent before its last page is read, so a failure in between cannot become a 500 any more:
 *
 * 1. `streamOf` waits for the first page. If that fails, nothing is sent yet, and the failure gets a status.
 * 2. Each page becomes a part of one JSON array: `[` before the first, `,` between two, `]` after the last
 *    (`arrayText`).
 * 3. The next page is read only when the client has taken most of the last one, because a stream of Node.js
 *    asks for more only if its buffer has room.
 * 4. If a later page fails, the answer breaks off without its closing bracket.
 *
 * For example, the database is lost in the middle of a list. The client gets
 * `[{"name":"Fern"},{"name":"Ivy"}` and the end of the connection. This is not JSON, so it knows that the
 * list is not complete.
 */
import { once } from 'node:events';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Operation } from '../document/operations.js';
import type { AnyAnswer } from '../handlers.js';
import type { CheckAnswer } from './response-check.js';

/**
 * Sets the status and the headers of the answer, and makes its body.
 *
 * @param check compares the answer with the document, if that is asked for
 * @returns the text of the body; a stream if the handler answers in pages, whose promise rejects with what
 * the first page throws; undefined if there is no body
 * @throws {Error} if the handler's headers are not valid, if the document has no body for the status, or if
 * `check` finds that the answer differs from the document
 */
export function answerWith(
  reply: FastifyReply,
  { status, headers = {}, body }: AnyAnswer,
  responses: Operation['responses'],
  check: CheckAnswer | undefined,
): Promise<Readable> | string | undefined {
  const checkBody = (value: unknown) => check?.(status, { ...reply.getHeaders(), ...headers }, value);
  if (!isPages(body)) checkBody(body);
  // They are checked before any is set, because the answer to a failure must not have them.
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
  // The value is written here, because Fastify would send a string without quotes, and no body for null.
  return withHead(serialize(body));
}

/**
 * @returns the serializer that the glue has registered for a response. Fastify calls `4XX` by the name `4xx`.
 */
function serializerOf(reply: FastifyReply, key: string, mediaType: string): Serialize {
  // The serializer is there, because the answer is documented with this media type. It takes the values of
  // its schema.
  return reply.getSerializationFunction(key.toLowerCase(), mediaType) as Serialize;
}

/**
 * Waits for the first page, so that a failure of it is still answered by a status. Later ones break the
 * answer off.
 */
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

/** Writes the pages as one JSON array: each page without its brackets, and commas between them. */
async function* arrayText(
  pages: Pages,
  serialize: Serialize,
  check: (page: unknown) => void,
): AsyncGenerator<string> {
  let opening = '[';
  for await (const page of pages) {
    check(page);
    if (page.length === 0) continue;
    yield opening + serialize(page).slice(1, -1);
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}
