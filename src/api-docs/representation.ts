import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Resource } from './resources.js';

/** The preferred coding first. */
export type Representation = readonly Variant[];

interface Variant {
  readonly coding: 'br' | 'gzip' | 'identity';
  readonly bytes: Buffer;
  /** Differs between codings (RFC 9110, section 8.8.3.3). */
  readonly entityTag: string;
}

/** Higher brotli qualities are much slower. */
const compressions = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

export async function represent(resource: Resource): Promise<Representation> {
  const bytes = Buffer.from(await resource.content(''));
  const [br, gzipped] = await Promise.all([compressions.br(bytes), compressions.gzip(bytes)]);
  return [variant('br', br), variant('gzip', gzipped), variant('identity', bytes)];
}

export async function representPlainly(resource: Resource, base: string): Promise<Representation> {
  return [variant('identity', Buffer.from(await resource.content(base)))];
}

function variant(coding: Variant['coding'], bytes: Buffer): Variant {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  return { coding, bytes, entityTag: `"${digest}"` };
}

/** GET and HEAD (RFC 9110, section 9.3). */
export function sendRepresentation(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { mediaType, cacheControl, headers: own }: Resource,
  representation: Representation,
): FastifyReply {
  const { coding, bytes, entityTag } = choose(headers['accept-encoding'], representation);
  // A 304 has these, too (section 15.4.5).
  reply.headers({ ...own, ETag: entityTag, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
  if (matches(headers['if-none-match'], entityTag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('Content-Encoding', coding);
  return reply.header('X-Content-Type-Options', 'nosniff').type(mediaType).send(bytes);
}

/** Characters. A longer one is not read: 16 KiB could name 16,000 codings. */
const longestAcceptEncoding = 256;

/** RFC 9110, section 12.5.3. */
function choose(acceptEncoding: string | string[] | undefined, variants: Representation): Variant {
  const codings = String(acceptEncoding ?? '');
  const weights = new Map(
    (codings.length <= longestAcceptEncoding ? codings : '').split(',').map(readWeight),
  );
  const weightOf = ({ coding }: Variant) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? leastWeight : 0);
  // If nothing is acceptable, the answer has no coding: the last variant.
  return variants.reduceRight((best, next) =>
    weightOf(next) > 0 && weightOf(next) >= weightOf(best) ? next : best,
  );
}

/** `identity` is acceptable unless named, but comes last. */
const leastWeight = 0.0001;

/** `gzip;q=0.5` → `['gzip', 0.5]` */
function readWeight(item: string): [string, number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}

/** RFC 9110, section 13.1.2 (weak comparison). */
function matches(ifNoneMatch: string | undefined, entityTag: string): boolean {
  const tags: readonly string[] = ifNoneMatch?.match(/"[^"]*"|\*/g) ?? [];
  return tags.includes(entityTag) || tags.includes('*');
}
