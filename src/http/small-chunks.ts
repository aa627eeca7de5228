import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';

/** Chunks of a body with fewer bytes. */
export const smallChunks = { bytes: 64, most: 1_000 };

type OnBody = (bytes: Buffer) => void;

/** Undocumented (lib/_http_common.js). */
interface Parser {
  readonly constructor: { readonly kOnBody: number };
  readonly incoming: IncomingMessage | null;
  [callback: number]: OnBody | undefined;
}

const counts = new WeakMap<IncomingMessage, number>();
/** Node.js's own. */
let onBody: OnBody | undefined;

/**
 * A chunk costs some microseconds, however small it is, and 64 KiB have 11,000 of one byte. So a request that has
 * too many is unreadable, and what follows is dropped.
 */
export function limitSmallChunks(socket: Socket): void {
  const parser: Parser | undefined = Reflect.get(socket, 'parser');
  /* c8 ignore next -- another Node.js may have none: small chunks then have no limit. */
  if (parser?.constructor.kOnBody === undefined) return;
  const { kOnBody } = parser.constructor;
  // Node.js uses parsers again.
  if (parser[kOnBody] === countChunk) return;
  onBody = parser[kOnBody];
  parser[kOnBody] = countChunk;
}

function countChunk(this: Parser, bytes: Buffer): void {
  const { incoming } = this;
  if (incoming === null || !isSmall(incoming, bytes)) {
    onBody?.call(this, bytes);
    return;
  }
  const count = (counts.get(incoming) ?? 0) + 1;
  counts.set(incoming, count);
  if (count <= smallChunks.most) onBody?.call(this, bytes);
  else if (count === smallChunks.most + 1)
    serverOf(incoming)?.emit('clientError', tooMany(), incoming.socket);
}

/** The parsers of clients are the same objects. */
function isSmall({ method, headers }: IncomingMessage, { length }: Buffer): boolean {
  return (
    length < smallChunks.bytes && typeof method === 'string' && headers['transfer-encoding'] !== undefined
  );
}

/** Undocumented (lib/_http_server.js, connectionListenerInternal). */
function serverOf({ socket }: IncomingMessage): Server | undefined {
  return Reflect.get(socket, 'server');
}

function tooMany(): Error {
  return Object.assign(new Error('too many small chunks'), { code: 'TOO_MANY_CHUNKS' });
}
