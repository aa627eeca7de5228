/**
 * A plain server of node:http: routes, methods, credentials, bodies, answers. It is right by default, and has
 * habits, by which a fault breaks what all operations share.
 *
 * A request goes through it in this order. A path that no route has is a 404, and a method that the path does
 * not have is a 405 with `Allow` (RFC 9110, section 15.5.6). Credentials come next (401), then the body (415,
 * 413, 400). Then the handler answers, or throws a Problem. HEAD is answered as GET is, without the body
 * (section 9.3.2).
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Scope } from '../../../src/base/scope.js';
import { serveIn } from '../../../src/base/serve.js';
import { Problem } from './problem.js';
import { readBody } from './request.js';

/** A request, read. */
export interface Asked {
  /** The owner of its credentials. */
  readonly owner: string;
  /** The parameters of the path, percent-decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if the operation takes no body. */
  readonly body: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Is sent as JSON. */
  readonly body?: unknown;
}

type Answer = (asked: Asked) => Answered | Promise<Answered>;

export interface Route {
  readonly operation: string;
  readonly method: string;
  /** Such as `/jobs/{jobId}`. */
  readonly path: string;
  /** The media types of its body; without them, it takes none. */
  readonly takes?: readonly string[];
  readonly answer: Answer;
}

/** What all operations do alike. */
export interface Habits {
  /** Returns the owner of the credentials. @throws {Problem} with 401 */
  readonly ownerOf: (headers: IncomingHttpHeaders, operation: string) => string;
  /** The value of `Allow` for the methods of a path; undefined for no header. */
  readonly allow: (methods: readonly string[], path: string) => string | undefined;
  readonly problemType: string;
  readonly answersHead: boolean;
  /** Whether a 204 is sent with a body, which RFC 9110 forbids in section 15.3.5. */
  readonly emptyHasBody: boolean;
}

export const rightHabits: Omit<Habits, 'ownerOf'> = {
  allow: (methods) => methods.join(', '),
  problemType: 'application/problem+json',
  answersHead: true,
  emptyHasBody: false,
};

/** Starts a server on a free port of 127.0.0.1. */
export async function startPlainServer(scope: Scope, routes: readonly Route[], habits: Habits): Promise<URL> {
  // Node.js closes idle connections after 5 s, and a checker on a busy machine may just be sending then.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    answer(routes, habits, request)
      .catch((error: unknown): Answered => {
        const problem = error instanceof Problem ? error : new Problem(500, String(error));
        const headers = { ...problem.headers, 'content-type': habits.problemType };
        return { status: problem.status, headers, body: problem };
      })
      .then((answered) => {
        // What nobody has read of the body would be taken for the next request.
        request.resume();
        send(response, request.method === 'HEAD', answered, habits);
      });
  });
  return new URL(await serveIn(scope, server));
}

async function answer(routes: readonly Route[], habits: Habits, request: IncomingMessage): Promise<Answered> {
  const url = urlOf(request.url ?? '');
  const there = routes.filter(({ path }) => pathParameters(path, url.pathname) !== undefined);
  const [first] = there;
  if (first === undefined) throw new Problem(404, 'There is no such path.');
  const method = request.method === 'HEAD' && habits.answersHead ? 'GET' : request.method;
  const route = there.find((one) => one.method === method);
  if (route === undefined) throw methodNotAllowed(there, first.path, habits);
  const owner = habits.ownerOf(request.headers, route.operation);
  const body = route.takes === undefined ? undefined : await readBody(request, route.takes);
  const path = decoded(pathParameters(route.path, url.pathname) ?? {});
  return route.answer({ owner, path, query: url.searchParams, headers: request.headers, body });
}

function urlOf(target: string): URL {
  try {
    // A target such as "//x" is a path, and would be taken for a host if the URL were resolved.
    return new URL(target.startsWith('/') ? `http://localhost${target}` : target, 'http://localhost');
  } catch {
    throw new Problem(400, 'The target of the request is not a URL.');
  }
}

function methodNotAllowed(there: readonly Route[], path: string, habits: Habits): Problem {
  const methods = there.flatMap(({ method }) =>
    method === 'GET' && habits.answersHead ? ['GET', 'HEAD'] : [method],
  );
  const allow = habits.allow(methods, path);
  const headers: Record<string, string> = allow === undefined ? {} : { allow };
  return new Problem(405, `This path has ${methods.join(', ')}.`, headers);
}

/** @returns undefined if the path is another one; the values are as they are in the URL */
function pathParameters(template: string, pathname: string): Record<string, string> | undefined {
  const names = template.split('/');
  const segments = pathname.split('/');
  if (names.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? '';
    if (name.startsWith('{') && segment !== '') parameters[name.slice(1, -1)] = segment;
    else if (name !== segment) return undefined;
  }
  return parameters;
}

function decoded(path: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(path).map(([name, segment]) => [name, decodeURIComponent(segment)]),
    );
  } catch {
    throw new Problem(400, 'The path has a percent sign without two hexadecimal digits of UTF-8.');
  }
}

function send(response: ServerResponse, isHead: boolean, answered: Answered, habits: Habits): void {
  const { status, headers = {}, body } = answered;
  if (status === 204 && habits.emptyHasBody) {
    // node:http sends no body behind a 204, so these are the bytes themselves.
    response.socket?.end('HTTP/1.1 204 No Content\r\ncontent-length: 4\r\nconnection: close\r\n\r\nnull');
    return;
  }
  const json = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    ...(json && { 'content-type': 'application/json', 'content-length': json.length }),
    ...headers,
  });
  response.end(isHead ? undefined : json);
}
