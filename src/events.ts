/** What happens in the service, for whoever counts it. Costs next to nothing if nobody listens. */
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Events {
  requestBegan: [];
  /** Answered, or given up by the client. */
  requestEnded: [request: FastifyRequest, reply: FastifyReply, milliseconds: number];
  /** A request failed before or in its operation, for example `InvalidTokenError`. */
  refused: [reason: string];
  /** `waitMs` is the time that the oldest item waited. */
  batchBegan: [work: string, size: number, waitMs: number];
  longLists: [count: number];
  /** Two characters of the SQLSTATE, or `none` if PostgreSQL did not answer. */
  databaseFailed: [sqlStateClass: string];
}

export const events = new EventEmitter<Events>();
