import type { FastifyInstance, RouteOptions } from 'fastify';
import glue from 'fastify-openapi-glue';
import { ContractError } from './document/contract-error.js';
import type { Contract } from './document/document.js';
import type { Operation } from './document/operations.js';
import type { AnyHandler } from './handlers.js';
import { useExactJson } from './request/body.js';
import { holdContinue } from './request/continue.js';
import { type HeaderValues, hasHeaderParameters } from './request/header-parameters.js';
import { methodsOfRivals, type Refuse, refusal } from './request/paths.js';
import { type Bindings, routeOf, routerPath } from './route.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if anonymous. */
    caller: unknown;
    /** Validated header and cookie parameters. */
    headerValues: HeaderValues | null;
  }
  interface FastifyReply {
    /** So far. */
    streamedBytes: number;
  }
  interface FastifyContextConfig {
    operation?: Operation;
    besideContract?: true;
  }
}

/** @throws {ContractError} if the bindings or the router cannot serve it */
export async function routeContract(
  app: FastifyInstance,
  contract: Contract,
  bindings: Bindings,
): Promise<void> {
  const refuse = refusal(contract);
  const routes = routesOf(contract, bindings, refuse);
  app.decorateRequest('caller', undefined);
  app.decorateReply('streamedBytes', 0);
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
  refuseMethodsOfRivals(app, contract, refuse);
  refuseOtherRoutes(app);
  const unrouted = contract.operations.filter(({ id }) => routes.has(id));
  if (unrouted.length > 0) {
    throw new ContractError(
      unrouted.map(({ id, method, place }) => `${place}: ${id} gets no route for ${method}.`).join('\n'),
    );
  }
}

/** The most concrete path wins, also for a method that it does not have. */
function refuseMethodsOfRivals(app: FastifyInstance, contract: Contract, refuse: Refuse): void {
  for (const [operation, method] of methodsOfRivals(contract)) {
    app.route({
      method,
      url: routerPath(operation),
      exposeHeadRoute: false,
      // Before the body is read.
      onRequest: async ({ url }) => refuse(url),
      handler: async ({ url }) => refuse(url),
    });
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
