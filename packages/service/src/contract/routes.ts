/**
 * Serves a contract: each operation of the document gets a route, and nothing else does.
 *
 * fastify-openapi-glue makes a route from each operation. By itself, it would leave gaps between the document
 * and the service: a missing handler would show only when it is called, a wrong method would be a 404 instead
 * of a 405 with `Allow`, and a route that somebody adds by hand would be served without being documented.
 *
 * So the plugin `contractRoutes` does this, in order:
 *
 * 1. `routesOf` pairs operations with handlers and security checks. It names everything that has no partner.
 * 2. The parser of JSON is replaced by the exact one (json.ts).
 * 3. A request that matches no route is refused with 404 before its body is read.
 * 4. The glue registers the routes of a document that names nothing else. `operationResolver` hands it the
 *    options that route.ts has made for the operation.
 * 5. Every other method of each path gets a route that refuses it with 405 and `Allow`.
 * 6. From then on, a route that is not marked as `besideContract` ends the start.
 * 7. An operation that the glue has not asked for has got no route, and ends the start, too.
 *
 * For example, the document has `GET /plants/count` and `DELETE /plants/{id}`. Fastify's router compares only
 * paths of the same method, so it would call the second one for `DELETE /plants/count`. But OpenAPI says that
 * the concrete path wins (3.0.3, "Path Templating Matching"), and that has no DELETE. After step 5, both
 * paths have a route for DELETE, the router finds the concrete one, and the answer is a 405 with `Allow:
 * GET`.
 *
 * The cost: all of this runs once, at the start. A request meets only the hooks of its own route.
 */
import { METHODS } from 'node:http';
import type { FastifyInstance, RouteOptions } from 'fastify';
import glue from 'fastify-openapi-glue';
import plugin from 'fastify-plugin';
import { ContractError, inFull } from '../../../exact-json/index.js';
import type { Contract } from './contract.js';
import type { Operation } from './document/operations.js';
import type { AnyHandler } from './handlers.js';
import { useExactJson } from './request/body.js';
import type { ParameterValues } from './request/parameter-values.js';
import { operationsByPath, refuseOtherMethods } from './request/paths.js';
import { UnknownPathError } from './request/request-errors.js';
import { type Bindings, routeOf, routerPath } from './route.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the security checks have found. Undefined if nobody has to be known. */
    caller: unknown;
    /**
     * When the header of the request had arrived, in milliseconds of performance.now(). The time that its body
     * takes to arrive is added, because that time is the client's.
     */
    arrivedAt: number;
    /** When the header was checked, and the body was awaited, in milliseconds of performance.now(). */
    checkedAt: number;
    /** The values of the operation's parameters. Null until they are read. */
    parameters: ParameterValues | null;
    /**
     * What is being done for the request, or was done last: a promise of its body that waits to be read, and then
     * what the handler has returned, or a promise of it. Undefined if there was neither.
     */
    handling: unknown;
  }
  interface FastifyReply {
    /**
     * How many bytes of a streamed answer were made so far. The log needs them, because there is no
     * Content-Length.
     */
    streamedBytes: number;
  }
  interface FastifyContextConfig {
    operation?: Operation;
    /** The methods that the contract has at this path, on the route that refuses all others. */
    methods?: readonly string[];
    /** Set on routes that the contract does not describe, such as `/live`. */
    besideContract?: true;
  }
}

interface ContractRoutesOptions extends Bindings {
  readonly contract: Contract;
}

/**
 * Adds the routes of a contract. Register it before other routes, because it refuses those that are neither in
 * the contract nor marked. The start fails with a ContractError if a handler or a check is missing or too many,
 * if a schema would go unchecked, or if an operation gets no route.
 */
export const contractRoutes = plugin(addRoutes, { name: 'contract-routes' });

async function addRoutes(
  app: FastifyInstance,
  { contract, ...bindings }: ContractRoutesOptions,
): Promise<void> {
  const routes = routesOf(contract, bindings);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('arrivedAt', 0);
  app.decorateRequest('checkedAt', 0);
  app.decorateRequest('parameters', null);
  app.decorateRequest('handling', undefined);
  app.decorateReply('streamedBytes', 0);
  useExactJson(app, contract.operations);
  // A hook instead of a not-found handler, which would be called only after the body was read. The router
  // takes `/plants/` for `/plants/{id}` with an empty id.
  app.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAt = performance.now();
    const { is404, params } = request;
    if (is404 || Object.values(Object(params)).includes('')) throw new UnknownPathError();
    done();
  });
  await app.register(glue, {
    specification: documentOfRoutes(contract),
    operationResolver: (id) => {
      // routesOf has made a route for every operation.
      const route = routes.get(id) as RouteOptions;
      routes.delete(id);
      return route;
    },
  });
  routeOtherMethods(app, contract);
  refuseOtherRoutes(app);
  const unrouted = contract.operations.filter(({ id }) => routes.has(id));
  if (unrouted.length > 0) {
    throw new ContractError(
      unrouted.map(
        ({ id, method, place }) => `${place}: ${id} gets no route for ${method}: give it another method.`,
      ),
      inFull,
    );
  }
}

/**
 * Makes a document of the routes alone, for the glue: it would compare the whole one with the schema of OpenAPI
 * and look for references in it, which codegen has done. route.ts has the schemas.
 */
function documentOfRoutes({ title, version, operations }: Contract): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { id, method, path } of operations) {
    const operation = { operationId: id, responses: { default: { description: 'See the contract.' } } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return { openapi: '3.0.3', info: { title, version }, paths };
}

/** Makes every method of HTTP a 405 at the paths that do not have it. */
function routeOtherMethods(app: FastifyInstance, { operations }: Contract): void {
  for (const method of METHODS) {
    // Node.js does not hand on a CONNECT as a request.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  for (const ofPath of operationsByPath(operations)) {
    const [first] = ofPath;
    const methods = ofPath.map(({ method }) => method);
    if (first !== undefined) refuseOtherMethods(app, routerPath(first), methods, { methods });
  }
}

/** Refuses routes that are added from now on, unless they are marked. */
function refuseOtherRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.besideContract !== true) {
      throw new ContractError(
        `The route ${method} ${url} is not in the contract: describe it there, or mark it with "besideContract".`,
      );
    }
  });
}

/**
 * @returns the options of each route, by operationId
 * @throws {ContractError} with a sentence for each operation, handler and scheme that has no partner
 */
function routesOf({ operations, place }: Contract, bindings: Bindings): Map<string, RouteOptions> {
  const { handlers, security } = bindings;
  const faults: string[] = [];
  const bound: [Operation, AnyHandler][] = [];
  for (const operation of operations) {
    const handler = ownMember(handlers, operation.id);
    if (handler === undefined) faults.push(`${operation.place}: ${operation.id} has no handler: write one.`);
    else bound.push([operation, handler]);
  }
  for (const id of Object.keys(handlers)) {
    if (operations.every((operation) => operation.id !== id)) {
      faults.push(
        `The handler ${id} has no operation in the contract: describe it there, or take the handler away.`,
      );
    }
  }
  for (const scheme of new Set(operations.flatMap(({ security }) => security.flat()))) {
    if (ownMember(security, scheme) === undefined) {
      faults.push(
        `${place(['components', 'securitySchemes', scheme])}: ${scheme} has no check: write one, or ask for another scheme.`,
      );
    }
  }
  if (faults.length > 0) throw new ContractError(faults, inFull);
  return new Map(bound.map(([operation, handler]) => [operation.id, routeOf(operation, handler, bindings)]));
}

/** Ignores what the object inherits, because an operation may be called `toString`. */
function ownMember<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
