/**
 * One line in the log for each request, written when its connection is done with it, so that the line says
 * how much of the answer the client got. The start and the end of a request are also events, for metrics and
 * traces.
 */
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { events } from '../observability/events.js';

/**
 * Logs each request, and emits `requestBegan` and `requestEnded`.
 *
 * @returns a function that does the same for a request that reaches no hook, such as one with a broken URL
 */
export function logAnswers(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => void {
  const watch = (request: FastifyRequest, reply: FastifyReply) => {
    // Node.js keeps the peer's address once it was asked for. When the connection has ended, it could not
    // find it out.
    void request.ip;
    events.emit('requestBegan', request);
    // Fastify does not call onResponse if the connection is reset.
    reply.raw.on('close', () => {
      // Three decimals are enough, and the shorter text is quicker to write.
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

/** Says how much of the answer the client got. An "unanswered" operation may have run all the same. */
function endOf({ raw }: FastifyReply): 'answered' | 'answered in part' | 'unanswered' {
  if (raw.writableFinished) return 'answered';
  return raw.headersSent ? 'answered in part' : 'unanswered';
}

/**
 * Turns Fastify's own lines off, because `logAnswers` writes one instead. A client that leaves is not an
 * error.
 */
export class AnswerLogController extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    request.log.error({ req: request, err: error }, 'the answer broke off');
  }
}
