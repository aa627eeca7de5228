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
    /** The security check sets it; undefined if anonymous. */
    caller: unknown;
    /** Validated header and cookie parameters. */
    headerValues: HeaderValues | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
    /** Marks a route outside the contract. */
    besideContract?: true;
  }
}

export interface Bindings {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** A check sets `request.caller`, or fails: with `statusCode` 401 for bad credentials. */
  readonly security: Readonly<Record<string, onRequestHookHandler>>;
  /** For tests and development. */
  readonly checkAnswers?: boolean;
}

/** @throws {ContractError} if the bindings or the router cannot serve the contract */
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
  // A not-found handler would wait for the body.
  app.addHook('onRequest', ({ is404, url }, _reply, done) => {
    if (is404) refuse(url);
    done();
  });
  await app.register(glue, {
    specification: contract.document,
    // Silences a warning: header-parameters.ts reads cookie parameters.
    addCookieSchema: true,
    operationResolver: (id) => {
      // Every operation has a route.
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

/** Call it after the contract's own routes. */
function refuseOtherRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.besideContract !== true) {
      throw new ContractError(
        `The route ${method} ${url} is not in the contract: describe it there, or mark it with "besideContract".`,
      );
    }
  });
}

/** By operationId. */
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

/** An operation may be called `toString`. */
function ownMember<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function routeOf(
  operation: Operation,
  handler: AnyHandler,
  { security, checkAnswers = false }: Bindings,
  refuse: Refuse,
): RouteOptions {
  // Compiling also refuses unusable schemas.
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
      // routesOf has refused schemes without a check.
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
      // Without query parameters, nothing validated the query.
      const query = queryNames.size > 0 ? request.query : {};
      const parts = { path, query, body, caller };
      const asked = readHeaders ? { ...parts, ...request.headerValues } : parts;
      const answer = handler(namesMediaType ? { ...asked, mediaType: mediaTypeOf(request) } : asked);
      return answerWith(reply, await answer, operation.responses, check);
    },
    // Only failures are still objects here.
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

/** Lists are split before decoding, because an item may contain an encoded comma. */
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

/** Fastify's router ends a parameter only at a slash, a dot or a hyphen. */
const routable = /^(?:\/(?:[\w.~!$&'+,;=@:-]|\{\w+\}(?=[/.-]|$))*)+$/;

/** `/plants:sort/{id}` → `/plants::sort/:id` */
function routerPath({ id, path, place }: Operation): string {
  if (!routable.test(path)) throw new ContractError(`${place}: ${id}: the router does not do ${path}.`);
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');
}
