import { isatty } from 'node:tty';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { tokenLike } from './access/token.js';

/** Drops lines beyond 16 MiB if nobody reads stdout. */
const standardOutput = () => pino.destination({ dest: 1, sync: false, maxLength: 16 * 2 ** 20 });

/** JSON lines, or readable lines on a terminal. */
export async function openLog(level: string): Promise<Log> {
  // process.stdout.isTTY would make a pipe non-blocking for pino.
  if (!isatty(1)) return makeLog(level);
  const { forTerminal } = await import('./terminal-log.js');
  return makeLog(level, forTerminal(standardOutput()));
}

export interface Log extends Logger {
  /** Writes all lines that `makeLines` logs at once. */
  together(makeLines: () => void): void;
}

/** Serializers log only named members, so no secrets. */
export function makeLog(level: string, output: DestinationStream = standardOutput()): Log {
  let lines: string | undefined;
  const log = pino(
    { level, serializers: { err: describeError, req: describeRequest, res: describeReply } },
    {
      write(line) {
        if (lines === undefined) output.write(line);
        else lines += line;
      },
    },
  );
  return Object.assign(log, {
    together(makeLines: () => void) {
      lines = '';
      try {
        makeLines();
      } finally {
        if (lines !== '') output.write(lines);
        lines = undefined;
      }
    },
  });
}

/** Unreserved characters (RFC 3986, section 6.2.2.2). */
const needlesslyEncoded = /%(?:3[0-9]|[46][1-9A-F]|[57][0-9A]|5F)/gi;

/** Hides tokens in the URL, also percent-encoded ones, and omits headers. */
function describeRequest({ id, method, url, ip }: FastifyRequest): object {
  const plain = url.includes('%') ? url.replaceAll(needlesslyEncoded, decodeURIComponent) : url;
  return { id, method, url: plain.replaceAll(tokenLike, 'plant_…'), ip };
}

function describeReply({ statusCode }: FastifyReply): object {
  return { statusCode };
}

/** PostgreSQL's `detail` and `where` can quote rows. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
