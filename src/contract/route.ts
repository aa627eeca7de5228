import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify';
import { answerWith } from './answer/answer.js';
import { type CheckAnswer, compileAnswers } from './answer/response-check.js';
import { ContractError } from './document/contract-error.js';
import type { Operation } from './document/operations.js';
import type { Parameter } from './document/parameters.js';
import type { AnyHandler } from './handlers.js';
import { checkBodyHeaders, mediaTypeOf } from './request/body.js';
import { askForBody } from './request/continue.js';
import type { Refuse } from './request/paths.js';
import { checkEncoding, encodedTexts } from './request/query.js';
import { checksOf } from './request/security-checks.js';
import { compileRequest, type RequestChecks } from './request/validation.js';

export interface Bindings {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** A check sets `request.caller`, or fails: with `statusCode` 401 for bad credentials. */
  readonly security: Readonly<Record<string, onRequestHookHandler>>;
  /** After the credentials. */
  readonly admit?: onRequestHookHandler | undefined;
  /** For tests and development. */
  readonly checkAnswers?: boolean;
}

/** @throws {ContractError} if the router or the schemas cannot do it */
export function routeOf(
  operation: Operation,
  handler: AnyHandler,
  { security, admit, checkAnswers = false }: Bindings,
  refuse: Refuse,
): RouteOptions {
  const check: CheckAnswer | undefined = checkAnswers ? compileAnswers(operation) : undefined;
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  const queryNames = new Set(inQuery.map(({ name }) => name));
  const { validatorCompiler, readHeaders } = compileRequest(operation);
  const namesMediaType = operation.requestBody !== undefined && operation.requestBody.content.size > 1;
  const options: Omit<RouteOptions, 'method'> = {
    url: routerPath(operation),
    config: { operation },
    validatorCompiler,
    // The contract documents no HEAD (fastify#917).
    exposeHeadRoute: false,
    onRequest: [
      ...(operation.parameters.some((parameter) => parameter.in === 'path')
        ? [refuseEmptyParameters(refuse)]
        : []),
      // routesOf has refused schemes without a check.
      ...checksOf(operation.security, (scheme) => security[scheme] as onRequestHookHandler),
      ...(admit ? [admit] : []),
      (request, reply, done) => {
        checkEncoding(request.url, queryNames);
        if (checkBodyHeaders(request, operation.requestBody)) askForBody(request, reply);
        done();
      },
    ],
    preValidation: [...encodedLists(inQuery), ...headerReader(readHeaders)],
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { params: path, body, caller } = request;
      // Without query parameters, nothing validated the query.
      const query = queryNames.size > 0 ? request.query : {};
      const parts = { path, query, body, caller };
      const asked = readHeaders ? { ...parts, ...request.headerValues } : parts;
      const answer = handler(namesMediaType ? { ...asked, mediaType: mediaTypeOf(request) } : asked);
      return answerWith(reply, await answer, operation.responses, check);
    },
    // Fastify skips this hook for text and streams, so only failures get here.
    ...(check && {
      preSerialization: async (_request, reply, payload) => {
        check(reply.statusCode, reply.getHeaders(), payload);
        return payload;
      },
    }),
    ...(operation.requestBody && { bodyLimit: operation.requestBody.limits.bytes }),
  };
  // The glue adds the method.
  return options as RouteOptions;
}

/** An item may contain an encoded comma. */
function encodedLists(inQuery: readonly Parameter[]): preValidationHookHandler[] {
  const lists = inQuery.filter(({ schema, exploded }) => schema.type === 'array' && !exploded);
  if (lists.length === 0) return [];
  const names = new Set(lists.map(({ name }) => name));
  const decode: preValidationHookHandler = (request, _reply, done) => {
    // Fastify parses a query into an object.
    Object.assign(request.query as object, encodedTexts(request.url, names));
    done();
  };
  return [decode];
}

function headerReader(read: RequestChecks['readHeaders']): preValidationHookHandler[] {
  if (read === undefined) return [];
  const note: preValidationHookHandler = (request, _reply, done) => {
    request.headerValues = read(request.raw);
    done();
  };
  return [note];
}

/** The router takes `/plants/` for `/plants/{id}` with an empty id. */
function refuseEmptyParameters(refuse: Refuse): onRequestHookHandler {
  return (request, _reply, done) => {
    if (Object.values(request.params as Record<string, string>).includes('')) refuse(request.url);
    done();
  };
}

/** Fastify's router ends a parameter only at a slash, a dot or a hyphen. */
const routable = /^(?:\/(?:[\w.~!$&'+,;=@:-]|\{\w+\}(?=[/.-]|$))*)+$/;

/** `/plants:sort/{id}` → `/plants::sort/:id` */
export function routerPath({ id, path, place }: Operation): string {
  if (!routable.test(path)) throw new ContractError(`${place}: ${id}: the router does not do ${path}.`);
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');
}
