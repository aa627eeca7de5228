/** Routes the files of served-files.ts and the files of the docs page, and leads `/` to the page. */
import { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { Contract } from '../contract/contract.js';
import { UnknownPathError } from '../contract/request/request-errors.js';
import { publicAddress, publicPrefix } from '../http/address.js';
import { routeBesideContract } from '../http/beside-contract.js';
import { docsFiles } from './docs-page.js';
import { links, servedFiles } from './served-files.js';

interface ApiDocsOptions {
  readonly contract: Contract;
  /** Peers whose `X-Forwarded-…` headers are trusted. If left out, none. */
  readonly proxies?: BlockList | undefined;
}

/** This value says that the content never changes (RFC 8246). */
const cacheForever = 'public, max-age=31536000, immutable';

/**
 * Routes the document and its page. A path of the page with another digest, or an unknown name, is refused by
 * an UnknownPathError. Nothing is compressed: a proxy does that.
 */
export const apiDocs = plugin(addRoutes, { name: 'api-docs' });

async function addRoutes(
  app: FastifyInstance,
  { contract, proxies = new BlockList() }: ApiDocsOptions,
): Promise<void> {
  for (const { path, mediaType, headers = {}, content } of servedFiles(contract)) {
    routeBesideContract(app, path, async (request, reply) =>
      reply
        .headers(headers)
        .type(mediaType)
        .send(await content(publicAddress(request, proxies))),
    );
  }
  // One route for all files of the page, because only reading them tells their digests.
  routeBesideContract(app, '/docs/:digest/:name', async (request, reply) => {
    // The route has these two parameters.
    const { digest, name } = request.params as { digest: string; name: string };
    const { styles, scripts } = await docsFiles();
    const file = [...styles, ...scripts].find(({ path }) => path === `/docs/${digest}/${name}`);
    if (file === undefined) throw new UnknownPathError();
    return reply.header('Cache-Control', cacheForever).type(file.mediaType).send(file.content);
  });
  // Some proxies do not tell their prefix, so without one the redirect is relative.
  routeBesideContract(app, '/', async (request, reply) =>
    reply.header('Link', links).redirect(`${publicPrefix(request, proxies) || '.'}/docs`, 303),
  );
  routeBesideContract(app, '/docs/', async (_request, reply) => reply.redirect('../docs', 308));
}
