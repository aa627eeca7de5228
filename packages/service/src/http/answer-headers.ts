/** The headers that every answer has, whoever gives it: an operation, the docs page, or a failure. */
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { makeRequestId, requestIdOf } from '../log/request-id.js';

/**
 * @returns the headers of every answer. Items are private, so no cache may store them; api-docs/ overrides
 * that for its files
 */
export function headersOfAnswer(requestId = makeRequestId()) {
  return { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': requestId };
}

/** Sets these headers as soon as a request has come, so that every answer has them. */
export const answerHeaders = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(headersOfAnswer(requestIdOf(request)));
      done();
    });
  },
  { name: 'answer-headers' },
);
