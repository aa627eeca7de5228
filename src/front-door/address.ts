import { type BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A name or an address, and a port (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const hostForm = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;
/** Plain segments, without characters that are special in a header or in HTML. */
const prefixForm = /^(?:\/[a-z0-9_~-][a-z0-9._~-]*)+$/i;

/** Whether a peer's `X-Forwarded-…` headers are trusted. */
export function trustIn(proxies: BlockList): (address: string) => boolean {
  return (address) => {
    const version = isIP(address);
    // `X-Forwarded-For` can hold anything, such as "unknown".
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/**
 * The address at which the consumer reaches the service, without a slash at its end; empty if the request has
 * none. Fastify reads `X-Forwarded-Proto` and `X-Forwarded-Host` of trusted peers.
 */
export function publicAddress(request: FastifyRequest, proxies: BlockList): string {
  const { protocol, host } = request;
  if (!hostForm.test(host) || !/^https?$/.test(protocol)) return '';
  return `${protocol}://${host}${publicPrefix(request, proxies)}`;
}

/**
 * The path under which a trusted proxy publishes the service (`X-Forwarded-Prefix`); empty if there is none.
 */
export function publicPrefix({ headers, socket }: FastifyRequest, proxies: BlockList): string {
  if (socket.remoteAddress === undefined || !trustIn(proxies)(socket.remoteAddress)) return '';
  const prefix = String(headers['x-forwarded-prefix'] ?? '').replace(/\/+$/, '');
  return prefixForm.test(prefix) ? prefix : '';
}
