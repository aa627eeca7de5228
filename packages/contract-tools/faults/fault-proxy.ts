/**
 * A proxy in front of a server that breaks one thing, and passes everything else on.
 *
 * A fault is a handler between client and server. It gets a whole request and a function `next`, which asks
 * the server. It may change the request, change the answer, ask twice, or not ask at all. "every tenth create
 * is lost", for example, asks the server, deletes what was created if it is the tenth, and passes the answer
 * on. Each run of a fault makes a new handler, so it may count and remember.
 *
 * The proxy reads and writes with node:http, which mends what is wrong with a message. So a fault in the
 * framing of an answer gives its bytes (`raw`), and the connection is closed behind them.
 */

import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { portOf } from '../src/base/serve.js';

export interface ProxyRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** These bytes are sent instead of the rest, before the connection is closed; none for no answer at all. */
  readonly raw?: Buffer;
}

/** Asks the server. It rejects if the server does not answer. */
export type Next = (request: ProxyRequest) => Promise<ProxyAnswer>;
/** Answers a request, with or without the server. */
export type Handler = (request: ProxyRequest, next: Next) => Promise<ProxyAnswer> | ProxyAnswer;

/** The tokens of the server, which a fault may use. */
export interface World {
  /** Valid tokens of the two owners and of a third, unrelated one, and a revoked token. */
  readonly tokens: Readonly<Record<'first' | 'second' | 'spare' | 'revoked', string>>;
}

/** The servers that faults break; `plants` and `gardens` are real services. */
export type ServiceName =
  | 'plants'
  | 'gardens'
  | 'wider plants'
  | 'library'
  | 'meters'
  | 'notes'
  | 'repairs'
  | 'exhibits';

/** One thing that a server does wrong on purpose. */
export interface Fault {
  /** The mistake, described as one would report it. */
  readonly name: string;
  /**
   * The operation that a report must name; outside the contract, the beginning of a request such as "HEAD /".
   */
  readonly operation: string;
  /** The server that is broken; by default the real service. */
  readonly service?: ServiceName;
  /** The server is started with its own fault of this name, and no proxy stands in front of it. */
  readonly ofServer?: string;
  /** The part of the document or the section of an RFC that is broken. */
  readonly breaks?: string;
  /** The checker is known not to find it. */
  readonly isMissed?: boolean;
  /** Makes the handler that breaks the server, with state of its own. */
  readonly start: (world: World) => Handler;
}

/** Faults that use no tokens get this one. */
export const noTokens: World = { tokens: { first: '', second: '', spare: '', revoked: '' } };

/** The fault that breaks nothing. */
export const nothing: Fault = {
  name: 'none',
  operation: 'none',
  start: () => (request, next) => next(request),
};

/** What the checker is expected to make of a fault, or of a server without one. */
export function expectedOf(fault: Fault): 'nothing' | 'found' | 'missed' {
  if (fault.operation === nothing.operation) return 'nothing';
  return fault.isMissed ? 'missed' : 'found';
}

interface Proxy {
  readonly url: URL;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of 127.0.0.1. If the handler throws, the answer is a 599 with the reason. */
export async function startFaultProxy(upstream: URL, handler: Handler): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    answer(upstream, agent, handler, incoming, response).catch((error: unknown) => {
      // The test sees an unexpected status, and reports it.
      response.writeHead(599, { 'content-type': 'text/plain' }).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    async close() {
      server.closeAllConnections();
      agent.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  upstream: URL,
  agent: Agent,
  handler: Handler,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request: ProxyRequest = {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: pairs(incoming.rawHeaders),
    body: await bytesOf(incoming),
  };
  const { status, headers, body, raw } = await handler(request, (next) => forward(upstream, agent, next));
  if (raw !== undefined) {
    response.socket?.end(raw);
    return;
  }
  response.sendDate = false;
  response.writeHead(status, headers.flat());
  response.end(body);
}

async function forward(upstream: URL, agent: Agent, request: ProxyRequest): Promise<ProxyAnswer> {
  // The proxy has answered Expect itself and holds the whole body, so it sets its own Content-Length.
  const headers = request.headers.filter(
    ([name]) => !['expect', 'connection', 'content-length', 'transfer-encoding'].includes(name.toLowerCase()),
  );
  const length = request.headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const outgoing = send({
    agent,
    host: upstream.hostname,
    port: upstream.port,
    method: request.method,
    path: request.target,
    setHost: false,
  });
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  if (length) outgoing.setHeader('Content-Length', request.body.length);
  outgoing.end(request.body);
  // `once` rejects if the request fails.
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  if (incoming === undefined) throw new Error('no response');
  const body = await bytesOf(incoming);
  const kept = pairs(incoming.rawHeaders).filter(
    ([name]) => !/^(connection|keep-alive|transfer-encoding)$/i.test(name),
  );
  return { status: incoming.statusCode ?? 0, headers: kept, body };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : [],
  );
}
