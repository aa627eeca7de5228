import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify';
import glue from 'fastify-openapi-glue';
import { sendAnswer } from './answer.js';
import { checkBodyHeaders, useExactJson } from './body.js';
import { type Contract, ContractError, type Operation } from './document.js';
import type { AnyHandler } from './handlers.js';
import { MethodNotAllowedError, UnknownPathError } from './request-errors.js';
import { compileValidator } from './validation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling, as the security check found out; null before it, and in public operations. */
    caller: unknown;
  }
  interface FastifyContextConfig {
    /** The operation of the contract that the route belongs to, if it belongs to one. */
    operation?: Operation;
  }
}

/** What TypeScript adds to the contract: a handler for each operation, a check for each security scheme. */
export interface Bindings {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** A check sets `request.caller`, or fails. */
  readonly security: Readonly<Record<string, onRequestHookHandler>>;
}

/**
 * Makes a route of every operation of the contract, in which a request travels thus: security check, body,
 * schemas, handler, answer.
 *
 * @throws {ContractError} where an operation has no handler, a handler no operation, or a scheme no check
 */
export async function routeContract(
  app: FastifyInstance,
  contract: Contract,
  bindings: Bindings,
): Promise<void> {
  checkBindings(contract, bindings);
  app.decorateRequest('caller', null);
  useExactJson(app);
  app.setValidatorCompiler(compileValidator);
  app.setNotFoundHandler((request) => refuse(contract, request.url));

  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  await app.register(glue, {
    specification: contract.document,
    operationResolver: (id) => {
      const [operation, handler] = [operations.get(id), bindings.handlers[id]];
      if (operation === undefined || handler === undefined)
        throw new ContractError(`${id} is bound to nothing.`);
      return routeOptions(operation, handler, bindings.security);
    },
  });
}

/** One sentence for all that the YAML and the code do not say of each other. */
function checkBindings({ operations, place }: Contract, { handlers, security }: Bindings): void {
  const ids = new Set(operations.map(({ id }) => id));
  const faults = [
    ...operations
      .filter(({ id }) => handlers[id] === undefined)
      .map(
        ({ id, path, method }) => `${place(['paths', path, method.toLowerCase()])}: ${id} has no handler.`,
      ),
    ...Object.keys(handlers)
      .filter((id) => !ids.has(id))
      .map((id) => `The handler ${id} has no operation in the contract.`),
    ...new Set(
      operations
        .flatMap((operation) => operation.security)
        .filter((scheme) => security[scheme] === undefined)
        .map((scheme) => `${place(['components', 'securitySchemes', scheme])}: ${scheme} has no check.`),
    ),
  ];
  if (faults.length > 0) throw new ContractError(faults.join('\n'));
}

function routeOptions(
  operation: Operation,
  handler: AnyHandler,
  security: Bindings['security'],
): RouteOptions {
  const options: Omit<RouteOptions, 'method' | 'url'> = {
    config: { operation },
    onRequest: [
      ...operation.security.flatMap((scheme) => security[scheme] ?? []),
      (request, _reply, done) => {
        checkBodyHeaders(request, operation.requestBody);
        done();
      },
    ],
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { params: path, query, body, caller } = request;
      return sendAnswer(reply, await handler({ path, query, body, caller }));
    },
    ...(operation.requestBody && { bodyLimit: operation.requestBody.limits.bytes }),
  };
  // The glue lays these over a method and a url of its own; its types ask for both all the same.
  return options as RouteOptions;
}

/**
 * @throws {MethodNotAllowedError} where the contract has the path, with other methods; HEAD is one of them
 * @throws {UnknownPathError} where it has no such path
 */
function refuse({ operations }: Contract, url: string): never {
  const path = decodeURI(url.replace(/[?#].*$/s, ''));
  const allowed = operations
    .filter((operation) => pattern(operation.path).test(path))
    .map(({ method }) => method);
  if (allowed.length === 0) throw new UnknownPathError('There is nothing at this path.');
  throw new MethodNotAllowedError(allowed);
}

/** `/plants/{id}` → /^\/plants\/[^/]+$/ */
function pattern(path: string): RegExp {
  const literals = path.split(/\{[^}]*\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('[^/]+')}$`);
}
