import { isatty } from 'node:tty';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
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

/**
 * Logs one line per request, except those queued on a reset connection: Node.js 20 emits no event.
 *
 * @returns a function for requests that no hook sees
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
    // Node.js forgets the peer's address when the connection ends (net.js, _getpeername).
    void request.ip;
    // A reset connection gets no onResponse.
    reply.raw.once('close', () => {
      // More digits are slow to write.
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
  // The process may end in this tick.
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

/** The operation may have run anyway. */
function endOf({ raw }: FastifyReply): Ended['message'] {
  if (raw.writableFinished) return 'answered';
  return raw.headersSent ? 'answered in part' : 'unanswered';
}

/** Drops the lines that `logAnswers` replaces. */
export class BrokenAnswers extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    // The client went away.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    request.log.error({ req: request, err: error }, 'the answer broke off');
  }
}

/** Unreserved characters (RFC 3986, section 6.2.2.2). */
const needlesslyEncoded = /%(?:3[0-9]|[46][1-9A-F]|[57][0-9A]|5F)/gi;

/** Hides tokens in the URL, and omits headers. */
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
