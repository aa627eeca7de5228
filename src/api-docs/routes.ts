import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contract } from '../contract/document/document.js';
import { publicAddress, publicPrefix } from '../http/address.js';
import { routeBesideContract } from '../http/beside-contract.js';
import { type Representation, represent, representPlainly, sendRepresentation } from './representation.js';
import { links, type Resource, resourcesOf } from './resources.js';

/** For a consumer who knows only the address. */
export function routeFrontDoor(app: FastifyInstance, contract: Contract, proxies: BlockList): void {
  for (const resource of resourcesOf(contract)) routeResource(app, resource, proxies);
  // Some proxies do not tell their prefix.
  routeBesideContract(app, '/', async (request, reply) =>
    reply.header('Link', links).redirect(`${publicPrefix(request, proxies) || '.'}/docs`, 303),
  );
  routeBesideContract(app, '/docs/', async (_request, reply) => reply.redirect('../docs', 308));
}

function routeResource(app: FastifyInstance, resource: Resource, proxies: BlockList): void {
  let compressed: Promise<Representation> | undefined;
  const representationFor = (request: FastifyRequest): Promise<Representation> => {
    // Clients can invent addresses, so what names one is made for each request, and not compressed, which would take a
    // hundred times as long as the rest.
    if (resource.namesAddress) return representPlainly(resource, publicAddress(request, proxies));
    compressed ??= represent(resource);
    return compressed;
  };
  routeBesideContract(app, resource.path, async (request, reply) =>
    sendRepresentation(request, reply, resource, await representationFor(request)),
  );
}
