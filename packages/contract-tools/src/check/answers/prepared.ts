/** Describes requests that touch only what belongs to the checker, with what is known of their answers. */
import type { Answer } from '../../base/http/answer.js';
import type { RequestValues } from '../requests/request-values.js';
import type { Breach, Step } from './findings.js';

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

/** What further requests have shown about an earlier one: the requests in their order, and the breach. */
export interface Consequence {
  readonly steps: readonly Step[];
  readonly breach: Breach;
}

/** An item of the checker's own, and a body that would change it. */
export interface OwnTarget {
  readonly path: RequestValues['path'];
  readonly body: RequestValues['body'];
  /** Deletes the item, if there is an operation for it. */
  discard(): Promise<void>;
}
