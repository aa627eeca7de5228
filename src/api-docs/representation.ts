import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Resource } from './resources.js';

/** A resource in each of its codings, the preferred one first. */
export type Representation = readonly Variant[];

interface Variant {
  readonly coding: 'br' | 'gzip' | 'identity';
  readonly bytes: Buffer;
  /** Each coding has an entity tag of its own (RFC 9110, section 8.8.3.3). */
  readonly entityTag: string;
}

/** The qualities of brotli above 5 are much slower. */
const compressions = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/** Compresses a resource that is the same for every client. */
export async function represent(resource: Resource): Promise<Representation> {
  const bytes = Buffer.from(await resource.content(''));
  const [br, gzipped] = await Promise.all([compressions.br(bytes), compressions.gzip(bytes)]);
  return [variant('br', br), variant('gzip', gzipped), variant('identity', bytes)];
}

/** Makes a resource that depends on the address, without compressing it. */
export async function representPlainly(resource: Resource, base: string): Promise<Representation> {
  return [variant('identity', Buffer.from(await resource.content(base)))];
}

function variant(coding: Variant['coding'], bytes: Buffer): Variant {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  return { coding, bytes, entityTag: `"${digest}"` };
}

/** Answers GET and HEAD in the coding that the client prefers, or with 304 if it has the resource already. */
export function sendRepresentation(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { mediaType, cacheControl, headers: own }: Resource,
  representation: Representation,
): FastifyReply {
  const { coding, bytes, entityTag } = choose(headers['accept-encoding'], representation);
  // A 304 must have these, too (RFC 9110, section 15.4.5).
  reply.headers({ ...own, ETag: entityTag, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
  if (matches(headers['if-none-match'], entityTag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('Content-Encoding', coding);
  return reply.header('X-Content-Type-Options', 'nosniff').type(mediaType).send(bytes);
}

/** A longer Accept-Encoding is not read, because its 16 KiB could name thousands of codings. */
const maxAcceptEncodingCharacters = 256;

/** Chooses the variant that the client prefers (RFC 9110, section 12.5.3). */
function choose(acceptEncoding: string | string[] | undefined, variants: Representation): Variant {
  const codings = String(acceptEncoding ?? '');
  const weights = new Map(
    (codings.length <= maxAcceptEncodingCharacters ? codings : '').split(',').map(readWeight),
  );
  const weightOf = ({ coding }: Variant) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? minWeight : 0);
  // If nothing is acceptable, this keeps the last variant, which has no coding.
  return variants.reduceRight((best, next) =>
    weightOf(next) > 0 && weightOf(next) >= weightOf(best) ? next : best,
  );
}

/**
 * The weight of `identity` if the client does not name it: it is acceptable, but anything else comes first.
 */
const minWeight = 0.0001;

/** Reads a coding and its weight: `gzip;q=0.5` → `['gzip', 0.5]` */
function readWeight(item: string): [string, number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight) || 0];
}

/** Compares entity tags weakly (RFC 9110, section 13.1.2). */
function matches(ifNoneMatch: string | undefined, entityTag: string): boolean {
  const tags: readonly string[] = ifNoneMatch?.match(/"[^"]*"|\*/g) ?? [];
  return tags.includes(entityTag) || tags.includes('*');
}
