import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Log } from '../log/log.js';
import { events } from '../observability/events.js';

/**
 * Logs one line per request.
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
    events.emit('requestBegan', request);
    // A reset connection gets no onResponse.
    reply.raw.once('close', () => {
      // More digits are slow to write.
      const milliseconds = Math.round(reply.elapsedTime * 1_000) / 1_000;
      ended.push({ message: endOf(reply), request, reply, milliseconds });
      events.emit('requestEnded', request, reply, milliseconds);
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

/** Drops Fastify's lines: `logAnswers` writes them instead. A client that leaves is not an error. */
export class AnswerLogController extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    request.log.error({ req: request, err: error }, 'the answer broke off');
  }
}
