/**
 * The meaning of a contract's operations beyond their schemas: the resources that a request touches, and the
 * answer that must follow from that.
 */
import type { Answer } from '../../kit/http/answer.js';
import type { Operation } from './description.js';
import type { Breach, Step } from './findings.js';
import type { RequestValues } from './request.js';
import type { ResourceClient } from './resources/client.js';
import type { Runner } from './runner.js';

/** The part of a request that a case is about; a meaning must not change it. */
export interface Focus {
  readonly part: 'body' | 'path' | 'query' | 'header' | 'cookie';
  /** A JSON pointer into the body, or a parameter's name. */
  readonly where: string;
}

/** Whether the request is sent as it is, or gets a fault for which it must be refused. */
export type Purpose = 'accepted' | 'refused';

/** A request that touches only what belongs to the checker. */
export interface Prepared {
  readonly values: RequestValues;
  /** The statuses of a correct server, if more is known than the YAML says. */
  readonly statuses?: readonly number[] | undefined;
  /** Finds faults in an answer that the document allows. */
  verify?(answer: Answer): Breach[];
  /** Forgets what was known of the item, because its answer, or what followed, was wrong. */
  doubt?(answer: Answer): void;
  /** Finds out whether the effects that the answer claims show elsewhere, too. */
  follow?(step: Step, answer: Answer): Promise<Consequence | undefined>;
  /** Finds out whether a refused request has changed nothing; cleans up after it. */
  untouched?(answer: Answer): Promise<Consequence | undefined>;
}

export interface Consequence {
  readonly steps: readonly Step[];
  readonly breach: Breach;
}

export interface Meaning {
  /** @returns undefined if the request cannot be sent without touching what belongs to somebody else */
  prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus?: Focus,
  ): Promise<Prepared | undefined>;
  /** Makes what requests need to be there, and finds requests that succeed. */
  ready(): Promise<void>;
  /**
   * The request of an operation that others are variants of: the plainest, or an example if only that
   * succeeds.
   */
  baseOf(operation: Operation): RequestValues;
  /** Whether the server is known to refuse values that the document allows there. */
  isChoosy(operation: Operation, focus: Focus): boolean;
  /** Conditions of the whole run; each throws CannotCheckError if it is not met. */
  readonly trials: readonly (() => Promise<void>)[];
  /** What needs few requests, and is tried before the many. */
  readonly earlyProbes: readonly ((runner: Runner) => Promise<void>)[];
  /** Tries what only this meaning knows. */
  readonly probes: readonly ((runner: Runner) => Promise<void>)[];
  /** Makes an item of the checker's own. @returns values for the path; undefined if that is impossible */
  ownItem(path: string): Promise<OwnTarget | undefined>;
  /** Why a valid request of an operation must not be sent; undefined if it may be sent. */
  obstacle(operation: Operation): string | undefined;
  /** The collections that were recognised. */
  readonly clients: readonly ResourceClient[];
  /** @returns one sentence for each thing that could not be removed */
  cleanUp(): Promise<readonly string[]>;
}

/** An item of the checker's own, and a body that would change it. */
export interface OwnTarget {
  readonly path: RequestValues['path'];
  readonly body: RequestValues['body'];
  /** Deletes the item, if there is an operation for it. */
  discard(): Promise<void>;
}
