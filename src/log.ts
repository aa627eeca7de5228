import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { tokenLike } from './access/token.js';

/**
 * stdout, written to while requests go on: lines that come during a write share the next one, and what is left at
 * the end of the process is written then. Where nobody reads them, lines beyond 16 MiB are dropped.
 */
const standardOutput = () => pino.destination({ dest: 1, sync: false, maxLength: 16 * 2 ** 20 });

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
 * One line for each answer. Those of a turn of the event loop are written together at its end: one right after the
 * other they take a third of the time that each takes between two requests, whose code and data push it out of the
 * processor's caches.
 */
export function logAnswers(app: FastifyInstance, log: Log): void {
  let answered: Answered[] = [];
  let closing = false;
  const write = () => {
    const lines = answered;
    answered = [];
    log.together(() => {
      for (const { request, reply, milliseconds } of lines) {
        request.log.info({ req: request, res: reply, milliseconds }, 'answered');
      }
    });
  };
  app.addHook('onResponse', (request, reply, done) => {
    // What is gone by the end of the turn is read now. Node.js forgets the address of a connection with its end,
    // unless it was asked for it before (net.js, _getpeername).
    void request.ip;
    // To a thousandth: of the digits of a whole double, the text is a seventh of the line's cost.
    answered.push({ request, reply, milliseconds: Math.round(reply.elapsedTime * 1_000) / 1_000 });
    if (closing) write();
    else if (answered.length === 1) setImmediate(write);
    done();
  });
  // The process may end in the turn of its last answer.
  app.addHook('preClose', async () => {
    closing = true;
    write();
  });
}

/** Of Fastify's own lines for requests, those that the lines above do not replace. */
export class BrokenAnswers extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  /** Of an answer that broke off when its beginning had been sent, so that it cannot be another one any more. */
  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE')
      request.log.info({ req: request }, 'the client went away in the midst of its answer');
    else request.log.error({ req: request, err: error }, 'the answer broke off');
  }
}

interface Answered {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly milliseconds: number;
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
