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
    /** Who is calling, as the security check found out; undefined if nobody has said it. */
    caller: unknown;
    /** Header and cookie parameters, checked; null before that, and absent if no operation has such a parameter. */
    headerValues: HeaderValues | null;
  }
  interface FastifyContextConfig {
    /** The operation of the contract that the route belongs to, if it belongs to one. */
    operation?: Operation;
    /** Set on a route that is no part of the contract, and is meant to be none. */
    besideContract?: true;
  }
}

/** What TypeScript adds to the contract: a handler for each operation, a check for each security scheme. */
export interface Bindings {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** A check sets `request.caller`, or fails: with the `statusCode` 401 if it is for the caller to mend. */
  readonly security: Readonly<Record<string, onRequestHookHandler>>;
  /** Whether every answer is held against the contract before it is sent: for tests and development. */
  readonly checkAnswers?: boolean;
}

/**
 * Makes a route of every operation of the contract, in which a request travels thus: security check, body,
 * schemas, handler, answer.
 *
 * @throws {ContractError} where an operation has no handler, a handler no operation, a scheme no check, or
 *   where the contract asks for what the router or the checks do not do
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
  // A hook and not a handler: that would be called once the body is read and parsed.
  app.addHook('onRequest', ({ is404, url }, _reply, done) => {
    if (is404) refuse(url);
    done();
  });
  await app.register(glue, {
    specification: contract.document,
    // It would warn on the console of cookie parameters, which are read here.
    addCookieSchema: true,
    operationResolver: (id) => {
      // The glue finds the operations that readContract found, or fewer.
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

/** From here on, a route that the contract does not have ends the start, unless it says that it is meant to be none. */
function refuseOtherRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.besideContract !== true) {
      throw new ContractError(
        `The route ${method} ${url} is not in the contract: describe it there, or mark it with "besideContract".`,
      );
    }
  });
}

/** The route of each operation, by its id. One sentence for each thing that YAML and code do not say of each other. */
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

/** Not what every object has: an operation may be called `toString`. */
function ownMember<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function routeOf(
  operation: Operation,
  handler: AnyHandler,
  { security, checkAnswers = false }: Bindings,
  refuse: Refuse,
): RouteOptions {
  // Compiled in any case: it refuses schemas that would not be honoured.
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
    // HEAD would answer what the contract does not say (fastify#917).
    exposeHeadRoute: false,
    onRequest: [
      ...(operation.parameters.some((parameter) => parameter.in === 'path')
        ? [refuseEmptyParameters(refuse)]
        : []),
      // All are there: whoever lacks one has been told above.
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
      // Nothing has looked at a query that the operation does not take.
      const query = queryNames.size > 0 ? request.query : {};
      const parts = { path, query, body, caller };
      const asked = readHeaders ? { ...parts, ...request.headerValues } : parts;
      const answer = handler(namesMediaType ? { ...asked, mediaType: mediaTypeOf(request) } : asked);
      return answerWith(reply, await answer, operation.responses, check);
    },
    // Handlers' answers are checked by answerWith, and are text or a stream by now. These are the failures.
    ...(check && {
      preSerialization: async (_request, reply, payload) => {
        check(reply.statusCode, reply.getHeaders(), payload);
        return payload;
      },
    }),
    ...(operation.requestBody && { bodyLimit: operation.requestBody.limits.bytes }),
  };
  // The glue lays these over a method of its own; its types ask for one all the same.
  return options as RouteOptions;
}

/** Lists with commas between their items, as they were sent: decoded, a comma that is data looks like one that is none. */
function encodedLists(inQuery: readonly Parameter[]): preValidationHookHandler[] {
  const lists = inQuery.filter(({ schema, exploded }) => schema.type === 'array' && !exploded);
  if (lists.length === 0) return [];
  const names = new Set(lists.map(({ name }) => name));
  const decode: preValidationHookHandler = (request, _reply, done) => {
    // Fastify parses every query into an object.
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

/** To the router, `/plants/` is `/plants/{id}` with an id of no characters. */
function refuseEmptyParameters(refuse: Refuse): onRequestHookHandler {
  return (request, _reply, done) => {
    if (Object.values(request.params as Record<string, string>).includes('')) refuse(request.url);
    done();
  };
}

/** Paths that Fastify's router takes for what they are: it ends a parameter at a slash, a dot or a hyphen only. */
const routable = /^(?:\/(?:[\w.~!$&'+,;=@:-]|\{\w+\}(?=[/.-]|$))*)+$/;

/** `/plants:sort/{id}` → `/plants::sort/:id` */
function routerPath({ id, path, place }: Operation): string {
  if (!routable.test(path)) throw new ContractError(`${place}: ${id}: the router does not do ${path}.`);
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');
}
