import type { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Contract } from '../contract/document.js';
import { MethodNotAllowedError } from '../contract/request-errors.js';
import { publicAddress, publicPrefix } from './address.js';
import { type Representation, represent, sendRepresentation } from './representation.js';
import { type Resource, resourcesOf } from './resources.js';

/** The start refuses a route that neither the contract has nor this says of itself. */
const besideContract = { besideContract: true } as const;
/** HEAD is named because the service makes none by itself; Fastify leaves the body out. */
const reading = ['GET', 'HEAD'];
/** Consumers' addresses whose copies are kept. Whoever makes addresses up drives others' out, no more. */
const addresses = 32;

/**
 * What a consumer needs who has only the address of the service: the document, a page that shows it, and
 * links between them. Public and outside the contract, from whose text all of it is made.
 */
export function routeFrontDoor(app: FastifyInstance, contract: Contract, proxies: BlockList): void {
  for (const resource of resourcesOf(contract)) routeResource(app, resource, proxies);
  routeSlash(app);
}

/** `/docs/`, as people type it. The location is relative, so that it holds under whatever path a proxy has in front. */
function routeSlash(app: FastifyInstance): void {
  app.route({
    method: reading,
    url: '/docs/',
    config: besideContract,
    handler: async (_request, reply) => reply.redirect('../docs', 308),
  });
  refuseOtherMethods(app, '/docs/', reading);
}

function routeResource(app: FastifyInstance, resource: Resource, proxies: BlockList): void {
  const { path, headers = {}, forBrowsers } = resource;
  const copies = new LRUCache<string, Promise<Representation>>({
    max: addresses,
    memoMethod: (base) => represent(resource, base),
  });
  const vary = varyOf(resource);

  app.route({
    method: reading,
    url: path,
    config: besideContract,
    handler: async (request, reply) => {
      const prefix = publicPrefix(request, proxies);
      reply.headers({ Link: links(prefix), Vary: vary, 'X-Content-Type-Options': 'nosniff', ...headers });
      // Browsers ask for HTML by name, and programs do not.
      if (forBrowsers !== undefined && /\btext\/html\b/i.test(request.headers.accept ?? ''))
        return reply.redirect(prefix + forBrowsers, 303);
      const base = resource.namesAddress ? publicAddress(request, proxies) : '';
      return sendRepresentation(request, reply, resource, await copies.memo(base));
    },
  });

  const allowed = [...reading];
  if (resource.preflight !== undefined) {
    allowed.push('OPTIONS');
    const answer = { ...headers, ...resource.preflight, Allow: allowed.join(', ') };
    app.options(path, { config: besideContract }, async (_request, reply) =>
      reply.code(204).headers(answer).send(),
    );
  }
  refuseOtherMethods(app, path, allowed);
}

/** RFC 9110, section 15.5.6: a path that is there is no 404 to any method. */
export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => !allowed.includes(method));
  const refuse = async (): Promise<never> => {
    throw new MethodNotAllowedError(allowed);
  };
  app.route({ method: others, url, config: besideContract, onRequest: refuse, handler: refuse });
}

/** RFC 9110, section 12.5.5: what of a request decides between answers. */
function varyOf({ forBrowsers, namesAddress }: Resource): string {
  return [
    'Accept-Encoding',
    ...(forBrowsers === undefined ? [] : ['Accept']),
    ...(namesAddress ? ['X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Prefix'] : []),
  ].join(', ');
}

/** RFC 8631: where the machine-readable description of the service is, and where the one for people. */
function links(prefix: string): string {
  return [
    `<${prefix}/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${prefix}/openapi.yaml>; rel="service-desc"; type="application/yaml"`,
    `<${prefix}/docs>; rel="service-doc"; type="text/html"`,
  ].join(', ');
}
