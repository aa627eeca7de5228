import { isatty } from 'node:tty';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { tokenLike } from './access/token.js';

/**
 * stdout, written to while requests go on: lines that come during a write share the next one, and what is left at
 * the end of the process is written then. Where nobody reads them, lines beyond 16 MiB are dropped.
 */
const standardOutput = () => pino.destination({ dest: 1, sync: false, maxLength: 16 * 2 ** 20 });

/** The log on stdout: JSON lines, or, if that is a terminal, lines for a person. */
export async function openLog(level: string): Promise<Log> {
  // Not process.stdout.isTTY: Node.js would open a stream on it, which makes a pipe non-blocking under our writes.
  if (!isatty(1)) return makeLog(level);
  const { forTerminal } = await import('./terminal-log.js');
  return makeLog(level, forTerminal(standardOutput()));
}

export interface Log extends Logger {
  /** Hands out as one text the lines that come while it runs: handing out each costs half as much as making it. */
  together(makeLines: () => void): void;
}

/** JSON lines. What may hold a secret is left out by naming what is kept. */
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
 * One line for each request: how its answer ended. (None for one whose connection is reset while it is queued behind
 * another: Node.js 20 does not tell of its end.) Those of a turn of the event loop are written together at its end:
 * one right after the other they take a third of the time that each takes between two requests, whose code and data
 * push it out of the processor's caches.
 *
 * @returns what is to be called for a request that gets no hook
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
    // Node.js forgets the address of a connection with its end, unless it was asked for it before (net.js, _getpeername).
    void request.ip;
    // Not Fastify's onResponse, which never comes for who has reset the connection before the end of the answer.
    reply.raw.once('close', () => {
      // To a thousandth of a millisecond: writing all digits of a double was a seventh of the line's cost.
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
  // The process may end in the turn of its last answer.
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
 * How far an answer came, at the end of its message or its connection: handed out whole, of which it may not all have
 * arrived, or in part, or not at all. What had been asked for may be done all the same.
 */
function endOf({ raw }: FastifyReply): Ended['message'] {
  if (raw.writableFinished) return 'answered';
  return raw.headersSent ? 'answered in part' : 'unanswered';
}

/** Of Fastify's own lines for requests, those that the lines above do not replace. */
export class BrokenAnswers extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  /** Why an answer broke off when its beginning had been sent, so that it cannot be another one any more. */
  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    // The client went away.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    request.log.error({ req: request, err: error }, 'the answer broke off');
  }
}

/** Percent-encoded characters that mean the same as plain ones: RFC 3986, section 6.2.2.2. */
const needlesslyEncoded = /%(?:3[0-9]|[46][1-9A-F]|[57][0-9A]|5F)/gi;

/** Neither headers nor a token that somebody put into a URL. */
function describeRequest({ id, method, url, ip }: FastifyRequest): object {
  const plain = url.includes('%') ? url.replaceAll(needlesslyEncoded, decodeURIComponent) : url;
  return { id, method, url: plain.replaceAll(tokenLike, 'plant_…'), ip };
}

function describeReply({ statusCode }: FastifyReply): object {
  return { statusCode };
}

/** Without the other members of a PostgreSQL error: `detail` and `where` can quote rows. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
