/**
 * Writes small contracts, and serves them with handlers of the test. For example:
 *
 * ```ts
 * const { call, seen } = await serve(t, documentOfBody('{ type: integer }'));
 * await call('POST', '/echo', { body: '1' }); // 204, and seen has the request
 * ```
 */
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type onRequestHookHandler,
} from 'fastify';
import type { Test } from 'tap';
import { ContractError } from '../../../../exact-json/index.js';
import { type Answer, type CallOptions, call } from '../../../../kit/testing.js';
import { readContract, type WrittenContract } from '../../../../service-tools/index.js';
import type { Contract } from '../../../src/contract/contract.js';
import type { AnyHandler } from '../../../src/contract/handlers.js';
import {
  InvalidRequestError,
  MethodNotAllowedError,
  UnknownPathError,
  UnsupportedMediaTypeError,
} from '../../../src/contract/request/request-errors.js';
import { contractRoutes } from '../../../src/contract/routes.js';
import { listenIn } from '../listen-in.js';

/**
 * Returns an OpenAPI document around `paths`, which are indented by two spaces; `rest` begins a line of its
 * own.
 */
export function documentOf(paths: string, rest = ''): string {
  return `openapi: 3.0.3
info: { title: Workshop, version: 1.0.0 }
paths:
${paths.replace(/^\n|\s+$/g, '')}
${rest}`;
}

/**
 * Returns a document with an operation `POST /echo` that takes one JSON value of this schema. Its only answer
 * is 204.
 */
export function documentOfBody(schema: string, limits = '{ bytes: 1000, depth: 5 }'): string {
  return documentOfBodies([['/echo', schema]], limits);
}

/** Returns a document with such an operation at each path. */
export function documentOfBodies(
  schemas: readonly (readonly [path: string, schema: string])[],
  limits = '{ bytes: 1000, depth: 5 }',
): string {
  const paths = schemas.map(
    ([path, schema]) => `
  ${path}:
    post:
      operationId: ${path.slice(1)}
      requestBody:
        required: true
        x-limits: ${limits}
        content: { application/json: { schema: ${schema} } }
      responses: { 204: { description: Taken. } }`,
  );
  return documentOf(paths.join(''));
}

/**
 * Returns a document with an operation `GET /look`, which has one optional query parameter `value` of this
 * schema.
 */
export function documentOfQuery(schema: string): string {
  return documentOfParameters(`{ name: value, in: query, schema: ${schema} }`);
}

/** Returns a document with an operation `GET /look` that has these parameters. */
export function documentOfParameters(...parameters: readonly string[]): string {
  return documentOfLooks([['/look', parameters]]);
}

/** Returns a document with an operation `GET` at each path, which has these parameters. */
export function documentOfLooks(
  looks: readonly (readonly [path: string, parameters: readonly string[]])[],
): string {
  const paths = looks.map(
    ([path, parameters]) => `
  ${path}:
    get:
      operationId: ${path.split('/')[1]}
      parameters: [${parameters.join(', ')}]
      responses: { 204: { description: Seen. } }`,
  );
  return documentOf(paths.join(''));
}

/**
 * Reads the contract in this text, from a file of the test.
 *
 * @throws {ContractError} if the text is not a contract that the service can serve
 */
export function contractOf(t: Test, yaml: string): Promise<WrittenContract> {
  return readContract(join(t.testdir({ 'contract.yaml': yaml }), 'contract.yaml'));
}

/** Asserts that `start` fails with a ContractError, and returns its message, without the temporary folder. */
export async function faultOf(t: Test, start: PromiseLike<unknown>): Promise<string> {
  const failure: unknown = await start.then(
    () => undefined,
    (error) => error,
  );
  t.ok(failure instanceof ContractError, `a ContractError, and not ${failure}`);
  return failure instanceof Error ? failure.message.replaceAll(/\S*contract\.yaml/g, 'contract.yaml') : '';
}

interface Code {
  readonly handlers?: Readonly<Record<string, AnyHandler>>;
  readonly security?: Readonly<Record<string, onRequestHookHandler>>;
}

/** The request that a handler gets. */
type Seen = Parameters<AnyHandler>[0];

export interface Served {
  readonly app: FastifyInstance;
  readonly port: number;
  /** The requests that the default handlers got: operations without a handler here use one. */
  readonly seen: Seen[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /**
   * Sends these bytes over a connection of its own, and returns all that arrives until the server closes it.
   */
  exchange(request: string): Promise<string>;
}

/**
 * Makes an app with the routes of the contract, which does not listen yet. An operation without a handler
 * here answers 204, and adds its request to `seen`.
 *
 * @throws {ContractError} if the handlers do not fit the contract
 */
export async function routed(
  contract: Contract,
  { handlers = {}, security = {} }: Code,
  seen: Seen[] = [],
): Promise<FastifyInstance> {
  const app = fastify({ frameworkErrors: answerError });
  app.setErrorHandler(answerError);
  const note: AnyHandler = async (request) => {
    seen.push(request);
    return { status: 204 };
  };
  const notes = Object.fromEntries(contract.operations.map(({ id }) => [id, note]));
  await app.register(contractRoutes, { contract, handlers: { ...notes, ...handlers }, security });
  return app;
}

/**
 * Serves the contract in this text on a free port until the test ends, with the additions of `addTo`.
 *
 * @throws {ContractError} if the text is not a contract, or the handlers do not fit it
 */
export async function serve(
  t: Test,
  yaml: string,
  code: Code = {},
  addTo?: (app: FastifyInstance) => void,
): Promise<Served> {
  return serveContract(t, await contractOf(t, yaml), code, addTo);
}

/**
 * Serves a contract as `serve` does.
 *
 * @throws {ContractError} if the handlers do not fit the contract
 */
export async function serveContract(
  t: Test,
  contract: Contract,
  code: Code = {},
  addTo: (app: FastifyInstance) => void = () => {},
): Promise<Served> {
  const seen: Seen[] = [];
  const app = await routed(contract, code, seen);
  addTo(app);
  const address = await listenIn(t, app);
  const port = Number(new URL(address).port);
  return {
    app,
    port,
    seen,
    call: (method, path, options) => call(address, method, path, options),
    exchange: async (request) => {
      const socket = createConnection({ host: '127.0.0.1', port });
      socket.write(request);
      return text(socket);
    },
  };
}

/** Answers failures of packages/service/src/contract/ as packages/service/src/http/error-answers.ts does: a status and the reason. */
function answerError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof MethodNotAllowedError) reply.header('Allow', error.allowed.join(', '));
  reply.code(statusOf(error)).type('text/plain').send(error.message);
}

function statusOf(error: Error): number {
  if (error instanceof InvalidRequestError) return 400;
  if (error instanceof UnknownPathError) return 404;
  if (error instanceof MethodNotAllowedError) return 405;
  if (error instanceof UnsupportedMediaTypeError) return 415;
  const code = 'code' in error ? error.code : undefined;
  return code === 'FST_ERR_BAD_URL' ? 400 : code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? 413 : 500;
}
