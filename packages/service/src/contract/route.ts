/**
 * The route of one operation: what a request meets, in order.
 *
 * The order decides what a stranger can make the service do. Credentials come first, before a byte of the
 * body is read, so that nobody without them costs more than a look-up. What is cheap comes before what is
 * costly, and the handler gets only what fits the contract:
 *
 * 1. The hooks of the whole server have run (http/server.ts), and the router has found this route.
 * 2. `onRequest` checks the credentials that the operation asks for (request/security-checks.ts), asks
 *    whether the request is admitted, for example by the limit of its owner, and reads what the header says
 *    of the body (request/body.ts): a wrong media type is a 415.
 * 3. Fastify reads the body, up to `bodyLimit`, and the parser of request/body.ts makes a value of it.
 * 4. `preValidation` reads and checks the parameters (request/parameter-values.ts).
 * 5. Fastify checks the body by `validatorCompiler` (request/validation.ts).
 * 6. `handler` calls the handler of the operation, and answer/answer.ts makes a text or a stream of what it
 *    returns.
 *
 * An error that any of these throws becomes an answer by the app's error handler (http/error-answers.ts).
 *
 * For example, a create with a good token sends `{"id": "7", "name": "Fern"}`. Steps 1 to 4 let it pass. In
 * step 5, the answer becomes a 400, "body/id must be an integer from -9223372036854775808 to
 * 9223372036854775807.", and the handler is not called.
 */
import type {
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify';
import { ContractError } from '../../../exact-json/index.js';
import { answerWith } from './answer/answer.js';
import { type CheckAnswer, compileAnswers } from './answer/response-check.js';
import { serializerSchema } from './answer/serializer-schema.js';
import type { Operation } from './document/operations.js';
import type { AnyHandler } from './handlers.js';
import { checkBodyHeaders, mediaTypeOf } from './request/body.js';
import type { ParameterValues } from './request/parameter-values.js';
import { checksOf } from './request/security-checks.js';
import { compileRequest } from './request/validation.js';

/** What the routes of a contract are bound to. */
export interface Bindings {
  /** The handlers, by operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /**
   * A check for each security scheme, by its name. It sets `request.caller`, or throws an error; one with the
   * `statusCode` 401 means bad credentials, so that the next alternative is tried.
   */
  readonly security: Readonly<Record<string, onRequestHookHandler>>;
  /** A hook that may refuse a request once its credentials are known to be good. */
  readonly admit?: onRequestHookHandler | undefined;
  /** Whether answers are compared with the document. Tests and `npm run dev` do so. */
  readonly checkAnswers?: boolean;
}

/**
 * Makes the route of an operation, without its method, which the glue adds.
 *
 * @throws {ContractError} if the router cannot do the path, or a schema would go unchecked
 */
export function routeOf(
  operation: Operation,
  handler: AnyHandler,
  { security, admit, checkAnswers = false }: Bindings,
): RouteOptions {
  const check: CheckAnswer | undefined = checkAnswers ? compileAnswers(operation) : undefined;
  const { validatorCompiler, readParameters } = compileRequest(operation);
  const namesMediaType = operation.requestBody !== undefined && operation.requestBody.content.size > 1;
  const options: Omit<RouteOptions, 'method'> = {
    url: routerPath(operation),
    config: { operation },
    schema: schemaOf(operation),
    validatorCompiler,
    // Fastify would add HEAD to each GET (fastify#917).
    exposeHeadRoute: false,
    onRequest: [
      // routesOf has refused schemes without a check.
      ...checksOf(operation.security, (scheme) => security[scheme] as onRequestHookHandler),
      ...(admit ? [admit] : []),
      (request, _reply, done) => {
        checkBodyHeaders(request, operation.requestBody);
        request.checkedAt = performance.now();
        done();
      },
    ],
    // Before the handler, so that a hook that answers instead of it gets no wrong request.
    preValidation: (request, reply, done) => {
      // The client has left while its body waited to be read: there is nobody to answer.
      if (reply.raw.destroyed) {
        reply.hijack();
        return;
      }
      request.arrivedAt += performance.now() - request.checkedAt;
      request.parameters = readParameters(request);
      done();
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { body, caller, arrivedAt } = request;
      // preValidation has set the parameters.
      const { path, query, header, cookie } = request.parameters as ParameterValues;
      const mediaType = namesMediaType ? mediaTypeOf(request) : undefined;
      const answer = handler({ path, query, header, cookie, body, mediaType, caller, arrivedAt });
      request.handling = answer;
      return answerWith(reply, await answer, operation.responses, check);
    },
    // Fastify skips this hook for text and streams, which are the answers of handlers. So only failures get
    // here.
    ...(check && {
      preSerialization: async (_request, reply, payload) => {
        check(reply.statusCode, reply.getHeaders(), payload);
        return payload;
      },
    }),
    ...(operation.requestBody && { bodyLimit: operation.requestBody.limits.bytes }),
  };
  // The glue adds the method, which is the only member that is missing.
  return options as RouteOptions;
}

/** For Fastify, a body is of one of some media types, each of which has a validator or a serializer. */
function schemaOf({ requestBody, responses }: Operation): FastifySchema {
  const bodies = Array.from(requestBody?.content.keys() ?? [], (mediaType) => [mediaType, { schema: {} }]);
  const answers = Array.from(new Set(responses.values())).flatMap(({ key, content }) => {
    if (content === undefined) return [];
    const { mediaType, schema } = content;
    return [[key, { content: { [mediaType]: { schema: serializerSchema(schema) } } }]];
  });
  return {
    ...(bodies.length > 0 && { body: { content: Object.fromEntries(bodies) } }),
    response: Object.fromEntries(answers),
  };
}

/** The paths that Fastify's router can do: it ends a parameter only at a slash, a dot or a hyphen. */
const routable = /^(?:\/(?:[\w.~!$&'+,;=@:-]|\{\w+\}(?=[/.-]|$))*)+$/;

/**
 * @returns the path in the form of Fastify's router: `/plants:sort/{id}` → `/plants::sort/:id`
 * @throws {ContractError} if the router cannot do it
 */
export function routerPath({ id, path, place }: Operation): string {
  const named = Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name);
  const unfit = named.find((name) => !/^\w+$/.test(name));
  if (unfit !== undefined) {
    throw new ContractError(
      `${place}: ${id}: the name of the parameter {${unfit}} of its path is not of letters, digits and "_" only. Nobody sends the name, so write another one there.`,
    );
  }
  if (!routable.test(path)) {
    throw new ContractError(
      `${place}: ${id}: the router does not do ${path}. Let each parameter end at "/", "." or "-", and write the rest in letters, digits and _.~!$&'+,;=@:-`,
    );
  }
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');
}
