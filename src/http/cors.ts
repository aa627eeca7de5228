/** CORS: https://fetch.spec.whatwg.org/#http-cors-protocol */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contract } from '../contract/document/document.js';
import { methodsIn, refusal } from '../contract/request/paths.js';

/** Seconds; Chromium's limit. */
const preflightLifetime = 7_200;

/** Any `OPTIONS` but a preflight stays a 405. */
export async function answerOtherOrigins(
  app: FastifyInstance,
  contract: Contract,
  origins: ReadonlySet<string>,
): Promise<void> {
  const methodsAt = methodsIn(contract);
  const exposedHeaders = headersOf(contract);

  const optionsFor = ({ headers, method, routeOptions, url }: FastifyRequest): FastifyCorsOptions => {
    // api-docs/resources.ts has the rule for other routes.
    const isOperation = routeOptions.config.besideContract !== true;
    const { origin } = headers;
    if (!isOperation || origin === undefined || !origins.has(origin)) return { origin: false };
    const methods = method === 'OPTIONS' ? methodsAt(url) : [];
    const preflight = methods.length > 0 && headers['access-control-request-method'] !== undefined;
    // The plugin allows all headers. The service ignores unknown ones.
    return { origin, exposedHeaders, methods, preflight, maxAge: preflightLifetime };
  };

  refuseOtherOptions(app, contract);
  await app.register(cors, {
    delegator: (request: FastifyRequest, answer: (error: null, options: FastifyCorsOptions) => void) =>
      answer(null, optionsFor(request)),
  });
}

/** For an unreadable URL, which no hook sees. */
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

function refuseOtherOptions(app: FastifyInstance, contract: Contract): void {
  const refuse = refusal(contract);
  app.addHook('onRoute', (route) => {
    if (route.url !== '*' || route.method !== 'OPTIONS') return;
    // Leaves out `OPTIONS *` (RFC 9110, section 9.3.7).
    route.url = '/*';
    route.onRequest = (request) => refuse(request.url);
  });
}

function headersOf({ operations }: Contract): string[] {
  const documented = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ headers }) => headers),
  );
  return [...new Set(documented)];
}
