import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contract } from '../contract/document/document.js';
import { publicAddress, publicPrefix } from '../http/address.js';
import { routeBesideContract } from '../http/beside-contract.js';
import { type Representation, represent, representPlainly, sendRepresentation } from './representation.js';
import { links, type Resource, resourcesOf } from './resources.js';

/** Routes the document and its page, for a consumer who knows only the address of the service. */
export function routeFrontDoor(app: FastifyInstance, contract: Contract, proxies: BlockList): void {
  for (const resource of resourcesOf(contract)) routeResource(app, resource, proxies);
  // Some proxies do not tell their prefix, so without one the redirect is relative.
  routeBesideContract(app, '/', async (request, reply) =>
    reply.header('Link', links).redirect(`${publicPrefix(request, proxies) || '.'}/docs`, 303),
  );
  routeBesideContract(app, '/docs/', async (_request, reply) => reply.redirect('../docs', 308));
}

function routeResource(app: FastifyInstance, resource: Resource, proxies: BlockList): void {
  let compressed: Promise<Representation> | undefined;
  const representationFor = (request: FastifyRequest): Promise<Representation> => {
    // A client can invent addresses without end, so what names one is made for each request, and not
    // compressed.
    if (resource.namesAddress) return representPlainly(resource, publicAddress(request, proxies));
    compressed ??= represent(resource);
    return compressed;
  };
  routeBesideContract(app, resource.path, async (request, reply) =>
    sendRepresentation(request, reply, resource, await representationFor(request)),
  );
}
