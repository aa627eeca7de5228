/** What happens in the service, for metrics and traces. */
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Events {
  requestBegan: [request: FastifyRequest];
  /** Answered, or given up by the client. */
  requestEnded: [request: FastifyRequest, reply: FastifyReply, milliseconds: number];
  /** A failure's name, for example `InvalidTokenError`. */
  refused: [reason: string];
  /** Waits for a batch, in the same asynchronous context as its request. */
  itemWaits: [item: object];
  /** `waitMs` is the oldest item's. */
  batchBegan: [work: string, items: readonly object[], waitMs: number];
  batchEnded: [items: readonly object[]];
  longLists: [count: number];
  connections: [count: number];
  /** By the service. */
  connectionCut: [reason: 'too many' | 'slow' | 'pipelined'];
  statementBegan: [statement: object, name: string];
  statementEnded: [statement: object];
  /** As `sqlStateClassOf` returns it; `statement` if it was sent. */
  databaseFailed: [sqlStateClass: string, statement?: object];
}

export const events = new EventEmitter<Events>();
