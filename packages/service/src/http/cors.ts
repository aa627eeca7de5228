/**
 * Lets pages of the origins in CORS_ORIGINS call the operations
 * (https://fetch.spec.whatwg.org/#http-cors-protocol).
 *
 * Before a browser sends the request of such a page, it asks by an `OPTIONS` (a preflight) which methods and
 * headers are allowed. A plugin of Fastify answers that, and adds the headers that let the page read an
 * answer. This file tells it, for each request, what the contract has at that path, and makes sure that an
 * `OPTIONS` that is not a preflight stays a 405, or a 404 if there is no such path.
 */
import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { Contract } from '../contract/contract.js';
import { UnknownPathError } from '../contract/request/request-errors.js';

/** How long a browser may keep the answer to a preflight. Chromium keeps none longer. */
const preflightSeconds = 7_200;

interface CorsOptions {
  readonly contract: Contract;
  /** The origins whose pages may call the operations. */
  readonly origins: ReadonlySet<string>;
}

/** Adds the answers to preflights, and the headers of all other answers. Register it before the routes. */
export const cors = plugin(answerOtherOrigins, { name: 'cors' });

async function answerOtherOrigins(app: FastifyInstance, { contract, origins }: CorsOptions): Promise<void> {
  const exposedHeaders = headersOf(contract);

  const optionsFor = ({ headers, routeOptions }: FastifyRequest): FastifyCorsOptions => {
    // Routes beside the contract, such as the document, set their own header (api-docs/served-files.ts).
    const isOperation = routeOptions.config.besideContract !== true;
    const { origin } = headers;
    if (!isOperation || origin === undefined || !origins.has(origin)) return { origin: false };
    const methods = [...(routeOptions.config.methods ?? [])];
    const preflight = methods.length > 0 && headers['access-control-request-method'] !== undefined;
    // Without `allowedHeaders`, the plugin allows every header. The service ignores those that it does not
    // know.
    return { origin, exposedHeaders, methods, preflight, maxAge: preflightSeconds };
  };

  refuseOtherOptions(app);
  const { default: fastifyCors } = await import('@fastify/cors');
  await app.register(fastifyCors, {
    delegator: (request: FastifyRequest, answer: (error: null, options: FastifyCorsOptions) => void) =>
      answer(null, optionsFor(request)),
  });
}

/**
 * @returns the CORS headers of an answer that no hook sees, such as the one to a request with a broken URL
 */
export function corsHeadersOf(
  contract: Contract,
  origins: ReadonlySet<string>,
): (request: FastifyRequest) => Record<string, string> {
  if (origins.size === 0) return () => ({});
  const exposed = headersOf(contract).join(', ');
  return ({ headers: { origin } }) => ({
    Vary: 'Origin',
    ...(origin !== undefined &&
      origins.has(origin) && {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': exposed,
      }),
  });
}

/**
 * Refuses `OPTIONS` of unknown paths, for which the plugin adds a route. By itself, that route would answer
 * with Fastify's own body, which is not an Error of the contract.
 */
function refuseOtherOptions(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.url !== '*' || route.method !== 'OPTIONS') return;
    // The route `*` would also match `OPTIONS *`, which asks about the whole server (RFC 9110, section
    // 9.3.7).
    route.url = '/*';
    route.onRequest = () => {
      throw new UnknownPathError();
    };
  });
}

/** @returns the names of all headers that the contract documents for an answer */
function headersOf({ operations }: Contract): string[] {
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ headers }) => headers),
  );
  return [...new Set(documented)];
}
