/** CORS for pages on other origins: https://fetch.spec.whatwg.org/#http-cors-protocol */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contract } from './contract/document.js';
import { methodsIn, refusal } from './contract/paths.js';

/** Seconds that a browser may keep the answer to a preflight; Chromium's own limit. */
const preflightLifetime = 7_200;

/** Lets pages of these origins call the operations. A plain `OPTIONS` stays a 405. */
export async function answerOtherOrigins(
  app: FastifyInstance,
  contract: Contract,
  origins: ReadonlySet<string>,
): Promise<void> {
  const methodsAt = methodsIn(contract);
  const exposedHeaders = headersOf(contract);

  const optionsFor = ({ headers, method, routeOptions, url }: FastifyRequest): FastifyCorsOptions => {
    // Routes beside the contract have a rule of their own (src/front-door/resources.ts).
    const isOperation = routeOptions.config.besideContract !== true;
    const { origin } = headers;
    if (!isOperation || origin === undefined || !origins.has(origin)) return { origin: false };
    const methods = method === 'OPTIONS' ? methodsAt(url) : [];
    const preflight = methods.length > 0 && headers['access-control-request-method'] !== undefined;
    // The plugin allows all headers that the browser asks for, and the service ignores those that it does not
    // know.
    return { origin, exposedHeaders, methods, preflight, maxAge: preflightLifetime };
  };

  refuseOtherOptions(app, contract);
  await app.register(cors, {
    delegator: (request: FastifyRequest, answer: (error: null, options: FastifyCorsOptions) => void) =>
      answer(null, optionsFor(request)),
  });
}

/** The same headers for Fastify's answer to a URL that it cannot read, which no hook sees. */
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

/** The plugin takes `OPTIONS` at every path. This refuses what the plugin does not answer, as without it. */
function refuseOtherOptions(app: FastifyInstance, contract: Contract): void {
  const refuse = refusal(contract);
  app.addHook('onRoute', (route) => {
    if (route.url !== '*' || route.method !== 'OPTIONS') return;
    // Not `OPTIONS *`, which asks about the whole server (RFC 9110, section 9.3.7).
    route.url = '/*';
    route.onRequest = (request) => refuse(request.url);
  });
}

/** The documented headers of answers, which a page may read. */
function headersOf({ operations }: Contract): string[] {
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ headers }) => headers),
  );
  return [...new Set(documented)];
}
