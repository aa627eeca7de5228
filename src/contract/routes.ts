import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify';
import glue from 'fastify-openapi-glue';
import { answerWith } from './answer.js';
import { checkBodyHeaders, mediaTypeOf, useExactJson } from './body.js';
import { askForBody, holdContinue } from './continue.js';
import { ContractError } from './contract-error.js';
import type { Contract } from './document.js';
import type { AnyHandler } from './handlers.js';
import { type HeaderValues, hasHeaderParameters } from './header-parameters.js';
import type { Operation } from './operations.js';
import type { Parameter } from './parameters.js';
import { type Refuse, refusal } from './paths.js';
import { checkEncoding, encodedTexts } from './query.js';
import { type CheckAnswer, compileAnswers } from './response-check.js';
import { checksOf } from './security.js';
import { compileRequest, type RequestChecks } from './validation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, set by the security check; undefined for an anonymous one. */
    caller: unknown;
    /** Header and cookie parameters after validation; absent if no operation has such a parameter. */
    headerValues: HeaderValues | null;
  }
  interface FastifyContextConfig {
    /** The operation of the route, if it has one. */
    operation?: Operation;
    /** Marks a route that is deliberately not in the contract. */
    besideContract?: true;
  }
}

/** The code behind the contract: a handler for each operation, and a check for each security scheme. */
export interface Bindings {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** A check sets `request.caller` or fails; with `statusCode` 401 if the credentials are at fault. */
  readonly security: Readonly<Record<string, onRequestHookHandler>>;
  /** Whether every answer is compared with the contract before it is sent, for tests and development. */
  readonly checkAnswers?: boolean;
}

/**
 * Makes a route for every operation of the contract. A request passes the security check, the body,
 * validation, the handler and the answer, in this order.
 *
 * @throws {ContractError} if an operation has no handler, a handler no operation or a scheme no check, or if
 *   the contract asks for what the router or the checks cannot do
 */
export async function routeContract(
  app: FastifyInstance,
  contract: Contract,
  bindings: Bindings,
): Promise<void> {
  const refuse = refusal(contract);
  const routes = routesOf(contract, bindings, refuse);
  app.decorateRequest('caller', undefined);
  if (contract.operations.some(hasHeaderParameters)) app.decorateRequest('headerValues', null);
  useExactJson(app, contract.operations);
  holdContinue(app);
  // A hook, because a handler would be called only after the body was read.
  app.addHook('onRequest', ({ is404, url }, _reply, done) => {
    if (is404) refuse(url);
    done();
  });
  await app.register(glue, {
    specification: contract.document,
    // Without it, the glue warns about cookie parameters, which header-parameters.ts reads.
    addCookieSchema: true,
    operationResolver: (id) => {
      // The glue finds only operations that readContract also found.
      const route = routes.get(id) as RouteOptions;
      routes.delete(id);
      return route;
    },
  });
  refuseOtherRoutes(app);
  const unrouted = contract.operations.filter(({ id }) => routes.has(id));
  if (unrouted.length > 0) {
    throw new ContractError(
      unrouted.map(({ id, method, place }) => `${place}: ${id} gets no route for ${method}.`).join('\n'),
    );
  }
}

/** From now on, a route that is neither in the contract nor marked `besideContract` ends the start. */
function refuseOtherRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.besideContract !== true) {
      throw new ContractError(
        `The route ${method} ${url} is not in the contract: describe it there, or mark it with "besideContract".`,
      );
    }
  });
}

/** The routes by operationId. Fails with a sentence for each difference between the YAML and the code. */
function routesOf(
  { operations, place }: Contract,
  bindings: Bindings,
  refuse: Refuse,
): Map<string, RouteOptions> {
  const { handlers, security } = bindings;
  const faults: string[] = [];
  const bound: [Operation, AnyHandler][] = [];
  for (const operation of operations) {
    const handler = ownMember(handlers, operation.id);
    if (handler === undefined) faults.push(`${operation.place}: ${operation.id} has no handler.`);
    else bound.push([operation, handler]);
  }
  for (const id of Object.keys(handlers)) {
    if (operations.every((operation) => operation.id !== id)) {
      faults.push(`The handler ${id} has no operation in the contract.`);
    }
  }
  for (const scheme of new Set(operations.flatMap(({ security }) => security.flat()))) {
    if (ownMember(security, scheme) === undefined) {
      faults.push(
        `${place(['components', 'securitySchemes', scheme])}: ${scheme} has no check: write one, or ask for another scheme.`,
      );
    }
  }
  if (faults.length > 0) throw new ContractError(faults.join('\n'));
  return new Map(
    bound.map(([operation, handler]) => [operation.id, routeOf(operation, handler, bindings, refuse)]),
  );
}

/** Only own members, because an operation may be called `toString`. */
function ownMember<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function routeOf(
  operation: Operation,
  handler: AnyHandler,
  { security, checkAnswers = false }: Bindings,
  refuse: Refuse,
): RouteOptions {
  // Always compiled, because that refuses schemas that the answer could not keep.
  const compiled = compileAnswers(operation);
  const check: CheckAnswer | undefined = checkAnswers ? compiled : undefined;
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
      // Each scheme has a check, or the start has failed above.
      ...checksOf(operation.security, (scheme) => security[scheme] as onRequestHookHandler),
      (request, reply, done) => {
        checkEncoding(request.url, queryNames);
        if (checkBodyHeaders(request, operation.requestBody)) askForBody(request, reply);
        done();
      },
    ],
    preValidation: [...encodedLists(inQuery), ...headerReader(readHeaders)],
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { params: path, body, caller } = request;
      // The query of an operation without query parameters was not validated.
      const query = queryNames.size > 0 ? request.query : {};
      const parts = { path, query, body, caller };
      const asked = readHeaders ? { ...parts, ...request.headerValues } : parts;
      const answer = handler(namesMediaType ? { ...asked, mediaType: mediaTypeOf(request) } : asked);
      return answerWith(reply, await answer, operation.responses, check);
    },
    // answerWith has checked the handlers' answers, so only failures are still objects here.
    ...(check && {
      preSerialization: async (_request, reply, payload) => {
        check(reply.statusCode, reply.getHeaders(), payload);
        return payload;
      },
    }),
    ...(operation.requestBody && { bodyLimit: operation.requestBody.limits.bytes }),
  };
  // The glue adds the method, although its types ask for one.
  return options as RouteOptions;
}

/** Replaces comma-separated lists by their undecoded text, in which a comma that is data is still encoded. */
function encodedLists(inQuery: readonly Parameter[]): preValidationHookHandler[] {
  const lists = inQuery.filter(({ schema, exploded }) => schema.type === 'array' && !exploded);
  if (lists.length === 0) return [];
  const names = new Set(lists.map(({ name }) => name));
  const decode: preValidationHookHandler = (request, _reply, done) => {
    // Fastify always parses a query into an object.
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

/**
 * Paths that Fastify's router reads as OpenAPI does: it ends a parameter only at a slash, a dot or a hyphen.
 */
const routable = /^(?:\/(?:[\w.~!$&'+,;=@:-]|\{\w+\}(?=[/.-]|$))*)+$/;

/** `/plants:sort/{id}` → `/plants::sort/:id` */
function routerPath({ id, path, place }: Operation): string {
  if (!routable.test(path)) throw new ContractError(`${place}: ${id}: the router does not do ${path}.`);
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');
}
