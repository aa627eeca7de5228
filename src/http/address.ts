import { type BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** RFC 9110, section 7.2; RFC 3986, section 3.2.2. Stricter than header-fields.ts: answers repeat this host. */
const hostForm = /^(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;
/** Without special characters of headers or HTML. */
const prefixForm = /^(?:\/[a-z0-9_~-][a-z0-9._~-]*)+$/i;

export function trustIn(proxies: BlockList): (address: string) => boolean {
  return (address) => {
    const version = isIP(address);
    // `X-Forwarded-For` can hold anything, such as "unknown".
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Has no final slash. Empty if the host is invalid. */
export function publicAddress(request: FastifyRequest, proxies: BlockList): string {
  const { protocol, host } = request;
  if (!hostForm.test(host) || !/^https?$/.test(protocol)) return '';
  return `${protocol}://${host}${publicPrefix(request, proxies)}`;
}

/** A trusted proxy's `X-Forwarded-Prefix`, or empty. */
export function publicPrefix({ headers, socket }: FastifyRequest, proxies: BlockList): string {
  if (socket.remoteAddress === undefined || !trustIn(proxies)(socket.remoteAddress)) return '';
  const prefix = String(headers['x-forwarded-prefix'] ?? '').replace(/\/+$/, '');
  return prefixForm.test(prefix) ? prefix : '';
}
