/**
 * What happens in the service. Rooms emit these events, and metrics and traces listen; neither knows the
 * other.
 */
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Events {
  requestBegan: [request: FastifyRequest];
  /** The request was answered, or its client has gone. */
  requestEnded: [request: FastifyRequest, reply: FastifyReply, durationMs: number];
  /** A request failed. The reason is the name of its failure, for example `InvalidTokenError`. */
  refused: [reason: string];
  /** An item waits for a batch. Emitted in the asynchronous context of its request. */
  itemWaits: [item: object];
  /** A batch is sent. `waitMs` is how long its oldest item has waited. */
  batchBegan: [work: string, items: readonly object[], waitMs: number];
  batchEnded: [items: readonly object[]];
  /** How many long lists are being read now. */
  longLists: [count: number];
  /** How many connections of clients are open now. */
  connections: [count: number];
  /** The service has closed a connection. */
  connectionCut: [reason: 'too many' | 'slow' | 'pipelined'];
  statementBegan: [statement: object, name: string];
  statementEnded: [statement: object];
  /** `sqlStateClass` is what `sqlStateClassOf` returns. `statement` is undefined if it was never sent. */
  databaseFailed: [sqlStateClass: string, statement?: object];
}

export const events = new EventEmitter<Events>();
