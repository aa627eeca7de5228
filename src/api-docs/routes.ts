/** Routes the files of served-files.ts and the files of the docs page, and leads `/` to the page. */
import { BlockList } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { Contract } from '../contract/contract.js';
import { UnknownPathError } from '../contract/request/request-errors.js';
import { publicAddress, publicPrefix } from '../http/address.js';
import { routeBesideContract } from '../http/beside-contract.js';
import { docsFiles } from './docs-page.js';
import { onceMade } from './once-made.js';
import {
  type Representation,
  represent,
  representPlainly,
  type ServedFile,
  sendRepresentation,
} from './representation.js';
import { links, servedFiles } from './served-files.js';

interface ApiDocsOptions {
  readonly contract: Contract;
  /** Peers whose `X-Forwarded-…` headers are trusted. If left out, none. */
  readonly proxies?: BlockList | undefined;
}

/**
 * Routes the document and its page. A path of the page with another digest, or an unknown name, is refused by
 * an UnknownPathError.
 */
export const apiDocs = plugin(addRoutes, { name: 'api-docs' });

async function addRoutes(
  app: FastifyInstance,
  { contract, proxies = new BlockList() }: ApiDocsOptions,
): Promise<void> {
  const send = senderOf(proxies);
  for (const file of servedFiles(contract)) {
    routeBesideContract(app, file.path, (request, reply) => send(request, reply, file));
  }
  // One route for all files of the page, because only reading them tells their digests.
  routeBesideContract(app, '/docs/:digest/:name', async (request, reply) => {
    // The route has these two parameters.
    const { digest, name } = request.params as { digest: string; name: string };
    const { styles, scripts } = await docsFiles();
    const file = [...styles, ...scripts].find(({ path }) => path === `/docs/${digest}/${name}`);
    if (file === undefined) throw new UnknownPathError();
    return send(request, reply, file);
  });
  // Some proxies do not tell their prefix, so without one the redirect is relative.
  routeBesideContract(app, '/', async (request, reply) =>
    reply.header('Link', links).redirect(`${publicPrefix(request, proxies) || '.'}/docs`, 303),
  );
  routeBesideContract(app, '/docs/', async (_request, reply) => reply.redirect('../docs', 308));
}

/** @returns a function that answers with a file, and compresses each only once */
function senderOf(proxies: BlockList) {
  const compressed = new Map<ServedFile, () => Promise<Representation>>();
  const representationFor = (file: ServedFile, request: FastifyRequest): Promise<Representation> => {
    // A client can invent addresses without end, so what names one is made for each request, and not
    // compressed.
    if (file.namesAddress) return representPlainly(file, publicAddress(request, proxies));
    const known = compressed.get(file) ?? onceMade(() => represent(file));
    compressed.set(file, known);
    return known();
  };
  return async (request: FastifyRequest, reply: FastifyReply, file: ServedFile): Promise<FastifyReply> =>
    sendRepresentation(request, reply, file, await representationFor(file, request));
}
