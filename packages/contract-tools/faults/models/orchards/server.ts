/**
 * A server of contracts/orchards.yaml that shares nothing with the service: plain node:http, its own
 * validation, and the habits of other frameworks. It answers 404 to methods that it does not know, reads
 * "007" as 7, refuses members and query parameters that it does not know, and answers 304. Each flaw breaks
 * one thing.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Scope } from '../../../src/base/scope.js';
import { serveIn } from '../../../src/base/serve.js';
import { NotJsonError, readJson, type Value, writeJson } from '../../../src/values/json.js';
import type { Grounds, Handler } from './collection.js';
import type { Flaw } from './flaws.js';
import { Gates } from './gates.js';
import { Labels } from './labels.js';
import { Orchards } from './orchards.js';
import { otherHandlers } from './others.js';
import { Trees } from './trees.js';
import { Refusal } from './values.js';
import { Visits } from './visits.js';
import { Wells } from './wells.js';

export const orchardsFile = join(import.meta.dirname, '..', '..', 'contracts', 'orchards.yaml');

/**
 * Starts the server on a free port of 127.0.0.1, with nothing stored.
 *
 * @param owners the owner of each good token
 */
export async function startOrchards(
  scope: Scope,
  owners: ReadonlyMap<string, string>,
  flaw?: Flaw,
): Promise<URL> {
  const handlers = handlersFor(flaw);
  const server = createServer((request, response) => {
    answer(handlers, owners, request, response, flaw).catch((error: unknown) => {
      const status = error instanceof Refusal ? error.status : error instanceof NotJsonError ? 422 : 500;
      const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
      // No failure of the document has "content", and many servers explain theirs all the same.
      const body = JSON.stringify({ detail: `It is answered ${status}.` });
      const type = { 'content-type': 'application/json', 'content-length': body.length };
      response.writeHead(status, { ...challenge, ...type }).end(request.method === 'HEAD' ? undefined : body);
    });
  });
  const address = await serveIn(scope, server);
  return new URL(address);
}

async function answer(
  handlers: Readonly<Record<string, Handler>>,
  owners: ReadonlyMap<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
  flaw: Flaw | undefined,
): Promise<void> {
  const target = request.url ?? '';
  const url = new URL(target, 'http://localhost');
  const path = url.pathname.slice(1).split('/').map(decoded);
  // Like many, it reads the whole body before it asks who is calling.
  const bytes = await bytesOf(request);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const handler = handlers[`${method} ${path[0]}${path[2] ? `/${path[2]}` : ''} ${path.length}`];
  if (handler === undefined) throw new Refusal(404);
  const body =
    method === 'GET' || method === 'DELETE'
      ? null
      : bodyOf(request, bytes, flaw === 'a change takes a body of any type' && path[0] === 'trees');
  const [, token = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const isPublic = ['GET health 1', 'GET wells 1', 'POST sessions 1'].includes(
    `${method} ${path[0]} ${path.length}`,
  );
  const owner = isPublic ? 'anybody' : owners.get(token);
  if (owner === undefined) throw new Refusal(401);
  const answered = handler({ owner, path, query: url.searchParams, body });
  if (request.headers['if-none-match'] === '*') {
    response.writeHead(304).end();
    return;
  }
  const json = answered.body === undefined ? undefined : Buffer.from(writeJson(answered.body));
  response.writeHead(answered.status, {
    ...(json && { 'content-type': 'application/json; charset=utf-8', 'content-length': json.length }),
    ...answered.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : json);
}

/**
 * Reads a body. `buffer` of node:stream/consumers makes a Blob first, which takes a large part of the time of
 * an answer.
 */
async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400);
  }
}

function bodyOf({ headers, method }: IncomingMessage, bytes: Buffer, takesAny: boolean): Value {
  if (takesAny && method === 'PATCH') return readJson(bytes);
  if (!/^application\/([a-z]+\+)?json *(;|$)/i.test(headers['content-type'] ?? '')) throw new Refusal(415);
  if (headers['content-encoding'] !== undefined) throw new Refusal(415);
  return readJson(bytes);
}

/**
 * Makes all handlers of a server. The keys are a method, the path's names, and the number of its segments.
 */
function handlersFor(flaw: Flaw | undefined): Readonly<Record<string, Handler>> {
  let last = 500;
  const grounds: Grounds = { has: (one) => one === flaw, nextId: () => String(++last) };
  const orchards = new Orchards(grounds);
  const others = [Visits, Trees].map((Collection) => new Collection(grounds, orchards));
  const alone = [Wells, Gates, Labels].map((Collection) => new Collection(grounds));
  const all = [orchards, ...others, ...alone].map(({ handlers }) => handlers);
  return Object.assign({}, ...all, otherHandlers(grounds));
}
