import type { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Contract } from '../contract/document/document.js';
import { publicAddress, publicPrefix } from '../http/address.js';
import { routeBesideContract } from '../http/beside-contract.js';
import { type Representation, represent, representPlainly, sendRepresentation } from './representation.js';
import { links, type Resource, resourcesOf } from './resources.js';

/** Bounded, because clients can invent addresses. */
const maxAddresses = 32;

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
  const copies = new LRUCache<string, Promise<Representation>>({ max: maxAddresses });
  let isCompressing = false;
  const copyFor = (base: string): Promise<Representation> | Representation => {
    const known = copies.get(base);
    if (known !== undefined) return known;
    // Compression takes 100 times as long as the rest. Meanwhile, other addresses get plain copies.
    if (isCompressing) return representPlainly(resource, base);
    isCompressing = true;
    const copy = represent(resource, base).finally(() => {
      isCompressing = false;
    });
    copies.set(base, copy);
    return copy;
  };
  routeBesideContract(app, resource.path, async (request, reply) => {
    const base = resource.namesAddress ? publicAddress(request, proxies) : '';
    return sendRepresentation(request, reply, resource, await copyFor(base));
  });
}
