/**
 * The address of the service as its clients see it. Behind a proxy, that is not the address on which the
 * service listens. The proxy names it in `X-Forwarded-…` headers, which a stranger could send, too. So they
 * count only if they come from a proxy in TRUST_PROXY.
 */
import { type BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * A host that answers may repeat (RFC 9110, section 7.2; RFC 3986, section 3.2.2). The form is stricter than
 * the one in header-fields.ts, because a client chooses this text.
 */
const hostForm = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;
/**
 * A prefix that answers may repeat: it has no character that is special in a header or in HTML. The slashes
 * at its end are not part of `$1`.
 */
const prefixForm = /^((?:\/[a-z0-9_~-][a-z0-9._~-]*)+)\/*$/i;

/**
 * @returns a function that says whether an address is one of the trusted proxies; false for text that is not
 * an address
 */
export function trustIn(proxies: BlockList): (address: string) => boolean {
  return (address) => {
    const version = isIP(address);
    // `X-Forwarded-For` can hold anything, such as "unknown".
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** @returns the service's URL as the client sees it, without a final slash; empty if the host is invalid */
export function publicAddress(request: FastifyRequest, proxies: BlockList): string {
  const { protocol, host } = request;
  if (!hostForm.test(host) || !/^https?$/.test(protocol)) return '';
  return `${protocol}://${host}${publicPrefix(request, proxies)}`;
}

/** @returns the `X-Forwarded-Prefix` of a trusted proxy, without a final slash; empty if there is none */
export function publicPrefix({ headers, socket }: FastifyRequest, proxies: BlockList): string {
  if (socket.remoteAddress === undefined || !trustIn(proxies)(socket.remoteAddress)) return '';
  const [, prefix = ''] = prefixForm.exec(String(headers['x-forwarded-prefix'] ?? '')) ?? [];
  return prefix;
}
