import type { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Contract } from '../contract/document/document.js';
import { MethodNotAllowedError } from '../contract/request/request-errors.js';
import { publicAddress, publicPrefix } from '../http/address.js';
import { type Representation, represent, sendRepresentation } from './representation.js';
import { type Resource, resourcesOf } from './resources.js';

/** Lets the start accept a route outside the contract. */
const besideContract = { besideContract: true } as const;
/** The service switches off Fastify's own HEAD routes. */
const reading = ['GET', 'HEAD'];
/** Bounded, because clients can invent addresses. */
const maxAddresses = 32;

/** Routes for a consumer who knows only the service's address. */
export function routeFrontDoor(app: FastifyInstance, contract: Contract, proxies: BlockList): void {
  for (const resource of resourcesOf(contract)) routeResource(app, resource, proxies);
  routeSlash(app);
}

/** The relative location works behind any proxy. */
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
    max: maxAddresses,
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
      // Only browsers ask for HTML by name.
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

/** Answers 405 instead of 404 (RFC 9110, section 15.5.6). */
export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => !allowed.includes(method));
  const refuse = async (): Promise<never> => {
    throw new MethodNotAllowedError(allowed);
  };
  app.route({ method: others, url, config: besideContract, onRequest: refuse, handler: refuse });
}

/** RFC 9110, section 12.5.5. */
function varyOf({ forBrowsers, namesAddress }: Resource): string {
  return [
    'Accept-Encoding',
    ...(forBrowsers === undefined ? [] : ['Accept']),
    ...(namesAddress ? ['X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Prefix'] : []),
  ].join(', ');
}

/** RFC 8631. */
function links(prefix: string): string {
  return [
    `<${prefix}/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${prefix}/openapi.yaml>; rel="service-desc"; type="application/yaml"`,
    `<${prefix}/docs>; rel="service-doc"; type="text/html"`,
  ].join(', ');
}
