import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { events } from '../observability/events.js';

/**
 * Logs one line per request.
 *
 * @returns a function for requests that no hook sees
 */
export function logAnswers(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => void {
  const watch = (request: FastifyRequest, reply: FastifyReply) => {
    // Node.js forgets the peer's address when the connection ends (net.js, _getpeername).
    void request.ip;
    events.emit('requestBegan', request);
    // A reset connection gets no onResponse.
    reply.raw.once('close', () => {
      // More digits are slow to write.
      const milliseconds = Math.round(reply.elapsedTime * 1_000) / 1_000;
      const end = endOf(reply);
      const sent = end === 'unanswered' ? {} : { res: reply };
      request.log.info({ req: request, ...sent, milliseconds }, end);
      events.emit('requestEnded', request, reply, milliseconds);
    });
  };
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply);
    done();
  });
  return watch;
}

/** The operation may have run anyway. */
function endOf({ raw }: FastifyReply): 'answered' | 'answered in part' | 'unanswered' {
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
