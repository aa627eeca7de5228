/**
 * Pages on other origins, whose browsers ask before they let them read an answer, and before they send a request
 * with a token at all: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contract } from './contract/document.js';
import { methodsIn, refusal } from './contract/paths.js';

/** Seconds that a browser need not ask again. Chromium keeps an answer for no longer than this. */
const preflightLifetime = 7_200;

/** Lets pages of these origins call the operations. Nothing else changes: `OPTIONS` itself stays a 405. */
export async function answerOtherOrigins(
  app: FastifyInstance,
  contract: Contract,
  origins: ReadonlySet<string>,
): Promise<void> {
  const methodsAt = methodsIn(contract);
  const exposedHeaders = headersOf(contract);

  const optionsFor = ({ headers, method, routeOptions, url }: FastifyRequest): FastifyCorsOptions => {
    // What lies beside the contract has a rule of its own: src/front-door/resources.ts.
    const isOperation = routeOptions.config.besideContract !== true;
    const { origin } = headers;
    if (!isOperation || origin === undefined || !origins.has(origin)) return { origin: false };
    const methods = method === 'OPTIONS' ? methodsAt(url) : [];
    const preflight = methods.length > 0 && headers['access-control-request-method'] !== undefined;
    // Allowed headers are those that the browser asks for: the service ignores what it does not know.
    return { origin, exposedHeaders, methods, preflight, maxAge: preflightLifetime };
  };

  refuseOtherOptions(app, contract);
  await app.register(cors, {
    delegator: (request: FastifyRequest, answer: (error: null, options: FastifyCorsOptions) => void) =>
      answer(null, optionsFor(request)),
  });
}

/** The same headers for the one answer that no hook sees, which is Fastify's to a URL that it cannot read. */
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

/** The plugin takes `OPTIONS` at every path. What it does not answer is refused as it is without the plugin. */
function refuseOtherOptions(app: FastifyInstance, contract: Contract): void {
  const refuse = refusal(contract);
  app.addHook('onRoute', (route) => {
    if (route.url !== '*' || route.method !== 'OPTIONS') return;
    // Not `OPTIONS *`, which asks about the whole server (RFC 9110, section 9.3.7).
    route.url = '/*';
    route.onRequest = (request) => refuse(request.url);
  });
}

/** The headers that answers document, and that a page may therefore read. */
function headersOf({ operations }: Contract): string[] {
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ headers }) => headers),
  );
  return [...new Set(documented)];
}
