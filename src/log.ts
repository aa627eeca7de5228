import { isatty } from 'node:tty';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { tokenLike } from './access/token.js';

/**
 * Writes asynchronously, and drops lines beyond 16 MiB if nobody reads stdout. pino writes the rest at exit.
 */
const standardOutput = () => pino.destination({ dest: 1, sync: false, maxLength: 16 * 2 ** 20 });

/** The log on stdout: JSON lines, or, if that is a terminal, lines for a person. */
export async function openLog(level: string): Promise<Log> {
  // process.stdout.isTTY would open a stream, which makes a pipe non-blocking for pino's writes.
  if (!isatty(1)) return makeLog(level);
  const { forTerminal } = await import('./terminal-log.js');
  return makeLog(level, forTerminal(standardOutput()));
}

export interface Log extends Logger {
  /** Writes the lines that `makeLines` logs as one text, which costs less than a write for each. */
  together(makeLines: () => void): void;
}

/** JSON lines. The serializers name what is logged, so that no secret is. */
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

/**
 * Logs one line for each request, after its answer. The lines of one event loop tick are written together,
 * because that is quicker than one line between two requests. A request that is queued on a connection that
 * is reset has no line: Node.js 20 emits no event for it.
 *
 * @returns a function to call for a request that no hook sees
 */
export function logAnswers(
  app: FastifyInstance,
  log: Log,
): (request: FastifyRequest, reply: FastifyReply) => void {
  let ended: Ended[] = [];
  let closing = false;
  const write = () => {
    const lines = ended;
    ended = [];
    log.together(() => {
      for (const { message, request, reply, milliseconds } of lines) {
        const sent = message === 'unanswered' ? {} : { res: reply };
        request.log.info({ req: request, ...sent, milliseconds }, message);
      }
    });
  };
  const watch = (request: FastifyRequest, reply: FastifyReply) => {
    // Node.js forgets the peer's address when the connection ends, unless it was read before (net.js,
    // _getpeername).
    void request.ip;
    // Fastify's onResponse is not called if the client resets the connection before the end of the answer.
    reply.raw.once('close', () => {
      // Microseconds are enough, and all digits of a double take long to write.
      const milliseconds = Math.round(reply.elapsedTime * 1_000) / 1_000;
      ended.push({ message: endOf(reply), request, reply, milliseconds });
      if (closing) write();
      else if (ended.length === 1) setImmediate(write);
    });
  };
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply);
    done();
  });
  // The process may end in the tick of its last answer.
  app.addHook('preClose', async () => {
    closing = true;
    write();
  });
  return watch;
}

interface Ended {
  readonly message: 'answered' | 'answered in part' | 'unanswered';
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly milliseconds: number;
}

/**
 * How much of the answer was handed to the operating system. The operation may have been done in each case.
 */
function endOf({ raw }: FastifyReply): Ended['message'] {
  if (raw.writableFinished) return 'answered';
  return raw.headersSent ? 'answered in part' : 'unanswered';
}

/** Fastify's own lines for requests, without those that `logAnswers` replaces. */
export class BrokenAnswers extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  /** Logs why an answer broke off after its beginning was sent. */
  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    // The client went away.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    request.log.error({ req: request, err: error }, 'the answer broke off');
  }
}

/** Percent-encoded characters that mean the same as plain ones (RFC 3986, section 6.2.2.2). */
const needlesslyEncoded = /%(?:3[0-9]|[46][1-9A-F]|[57][0-9A]|5F)/gi;

/** Without headers, and without a token that somebody put into the URL. */
function describeRequest({ id, method, url, ip }: FastifyRequest): object {
  const plain = url.includes('%') ? url.replaceAll(needlesslyEncoded, decodeURIComponent) : url;
  return { id, method, url: plain.replaceAll(tokenLike, 'plant_…'), ip };
}

function describeReply({ statusCode }: FastifyReply): object {
  return { statusCode };
}

/** Without the other members of a PostgreSQL error, because `detail` and `where` can quote rows. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
