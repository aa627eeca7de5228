/**
 * Answers a request for a file as its client wants it: compressed or not, or not at all if the client has
 * it already.
 *
 * The docs page loads 2 MB of scripts and styles. Compressed they are 0.5 MB, and a browser that has them
 * needs none of them. So a file that is the same for every client is compressed once. Each has an entity
 * tag, which is a digest of its bytes. A client that sends this tag in `If-None-Match` gets a 304 without a
 * body. Paths that have a digest of their content are kept by browsers for ever, and all others are asked for
 * each time.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Something that is served beside the contract, such as the docs page. */
export interface ServedFile {
  readonly path: string;
  readonly mediaType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set if the path has a digest of the content, so that the content of this path never changes. */
  readonly isImmutable?: true;
  /** Set if the content names the address by which the client reached the service. */
  readonly namesAddress?: true;
  /**
   * @param base the public address without a final slash; empty if it is not known, or if the content does
   * not name it
   */
  content(base: string): string | Buffer | Promise<string>;
}

/** A file in the forms in which it is sent. It is not compressed if it is made for each request. */
export interface Representation {
  readonly plain: Variant;
  readonly gzipped?: Variant;
}

interface Variant {
  readonly bytes: Buffer;
  /** Each coding has an entity tag of its own (RFC 9110, section 8.8.3.3). */
  readonly entityTag: string;
}

/** Compresses a file that is the same for every client. */
export async function represent(file: ServedFile): Promise<Representation> {
  const bytes = Buffer.from(await file.content(''));
  const gzipped = await promisify(gzip)(bytes, { level: 9 });
  return { plain: variant(bytes), gzipped: variant(gzipped) };
}

/** Makes a file that depends on the address, without compressing it. */
export async function representPlainly(file: ServedFile, base: string): Promise<Representation> {
  return { plain: variant(Buffer.from(await file.content(base))) };
}

function variant(bytes: Buffer): Variant {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  return { bytes, entityTag: `"${digest}"` };
}

/** A cache asks each time whether its copy is still the one of the entity tag. */
const cacheAndAsk = 'public, no-cache';
/** This value says that the content never changes (RFC 8246). */
const cacheForever = 'public, max-age=31536000, immutable';

/** Answers GET and HEAD, compressed if the client takes that, or with 304 if it has the file already. */
export function sendRepresentation(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { mediaType, isImmutable, headers: own }: ServedFile,
  { plain, gzipped }: Representation,
): FastifyReply {
  const chosen = acceptsGzip(headers['accept-encoding']) ? gzipped : undefined;
  const { bytes, entityTag } = chosen ?? plain;
  const cacheControl = isImmutable ? cacheForever : cacheAndAsk;
  // A 304 must have these, too (RFC 9110, section 15.4.5).
  reply.headers({ ...own, ETag: entityTag, 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
  if (matches(headers['if-none-match'], entityTag)) return reply.code(304).send();
  if (chosen !== undefined) reply.header('Content-Encoding', 'gzip');
  return reply.header('X-Content-Type-Options', 'nosniff').type(mediaType).send(bytes);
}

/** A longer Accept-Encoding is not read, because its 16 KiB could name thousands of codings. */
const maxAcceptEncodingCharacters = 256;

/** @returns whether the client takes gzip, by the rules of RFC 9110, section 12.5.3 */
function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  const codings = String(acceptEncoding ?? '');
  if (codings.length > maxAcceptEncodingCharacters) return false;
  const weights = new Map(codings.split(',').map(readWeight));
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

/** @returns a coding and its weight: `gzip;q=0.5` → `['gzip', 0.5]` */
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
