/**
 * One line in the log for each request, written when its connection is done with it, so that the line says
 * how much of the answer the client got. The start and the end of a request are also events, for metrics.
 */
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import plugin from 'fastify-plugin';
import { events } from '../observability/events.js';

/** Logs each request, and emits `requestBegan` and `requestEnded`. */
export const answerLog = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', (request, reply, done) => {
      watchAnswer(request, reply);
      done();
    });
  },
  { name: 'answer-log' },
);

/** Does for one request what `answerLog` does for those that reach a hook, which one with a broken URL does not. */
export function watchAnswer(request: FastifyRequest, reply: FastifyReply): void {
  // Node.js keeps the peer's address once it was asked for. When the connection has ended, it could not find
  // it out.
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
}

/** Says how much of the answer the client got. An "unanswered" operation may have run all the same. */
function endOf({ raw }: FastifyReply): 'answered' | 'answered in part' | 'unanswered' {
  if (raw.writableFinished) return 'answered';
  return raw.headersSent ? 'answered in part' : 'unanswered';
}

/**
 * Turns Fastify's own lines off, because `answerLog` writes one instead. A client that leaves is not an
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
