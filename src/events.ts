/** What happens in the service, for metrics. */
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Events {
  requestBegan: [];
  /** Answered, or given up by the client. */
  requestEnded: [request: FastifyRequest, reply: FastifyReply, milliseconds: number];
  /** A failure's name, for example `InvalidTokenError`. */
  refused: [reason: string];
  /** `waitMs` is the oldest item's. */
  batchBegan: [work: string, size: number, waitMs: number];
  longLists: [count: number];
  connections: [count: number];
  /** By the service. */
  connectionCut: [reason: 'too many' | 'slow' | 'unread'];
  /** As `sqlStateClassOf` returns it. */
  databaseFailed: [sqlStateClass: string];
}

export const events = new EventEmitter<Events>();
