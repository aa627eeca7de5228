/**
 * What happens in the service. Folders emit these events, and metrics listen; neither knows the other.
 */
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Events {
  requestBegan: [request: FastifyRequest];
  /** The request was answered, or its client has gone. */
  requestEnded: [request: FastifyRequest, reply: FastifyReply, durationMs: number];
  /** A request failed. The reason is the name of its failure, for example `InvalidTokenError`. */
  refused: [reason: string];
  /** A batch is sent. `work` is the name of its coalescer; `waitMs` is how long its oldest item has waited. */
  batchBegan: [work: string, items: readonly object[], waitMs: number];
  /** How many long lists are being read now. */
  longLists: [count: number];
  /** How many connections of clients are open now. */
  connections: [count: number];
  /** The service has closed a connection. */
  connectionCut: [reason: 'too many' | 'pipelined' | 'CONNECT'];
  /** A statement has a connection, or has none because it waited too long. */
  connectionAwaited: [waitMs: number];
  /** A statement is sent. The name holds no values. */
  statementBegan: [statement: object, name: string];
  statementEnded: [statement: object];
  /**
   * A statement failed. `sqlStateClass` is what `sqlStateClassOf` returns. `statement` is undefined if it was
   * never sent.
   */
  databaseFailed: [sqlStateClass: string, statement?: object];
}

/** The events of the process. A listener must not throw, because it would fail what it observes. */
export const events = new EventEmitter<Events>();
