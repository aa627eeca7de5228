import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AnyAnswer } from './handlers.js';

const json = 'application/json';

/** Sends what a handler answered. Fastify's serializers, made from the YAML at the start, write the body. */
export async function sendAnswer(
  reply: FastifyReply,
  { status, headers = {}, body }: AnyAnswer,
): Promise<FastifyReply> {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  reply.type(json);
  if (!isPages(body)) return reply.send(body);
  // Fastify compiles one serializer for each documented status and media type. Its types say that all take
  // objects; this one takes the array that the contract documents.
  const serialize = reply.getSerializationFunction(String(status), json) as Serialize | undefined;
  if (serialize === undefined) throw new Error(`The status ${status} has no ${json} body in the contract.`);
  return reply.send(await streamArray(body, serialize));
}

type Pages = AsyncIterable<readonly unknown[]>;
type Serialize = (page: readonly unknown[]) => string;

function isPages(body: unknown): body is Pages {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/**
 * One JSON array out of pages, read only as fast as the client takes them. The first page is read before
 * anything is sent, so that its failure is still an answer; a later failure breaks the transfer off, which
 * no client can take for a shorter array.
 */
async function streamArray(pages: Pages, serialize: Serialize): Promise<Readable> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  return Readable.from(arrayText(first, iterator, serialize), { objectMode: false });
}

async function* arrayText(
  first: IteratorResult<readonly unknown[]>,
  iterator: AsyncIterator<readonly unknown[]>,
  serialize: Serialize,
): AsyncGenerator<string> {
  try {
    let opening = '[';
    for (let page = first; !page.done; page = await iterator.next()) {
      if (page.value.length === 0) continue;
      // The serializer writes whole arrays: take its brackets off.
      yield opening + serialize(page.value).slice(1, -1);
      opening = ',';
    }
    yield opening === '[' ? '[]' : ']';
  } finally {
    // A client that goes away ends the reading, too.
    await iterator.return?.();
  }
}
