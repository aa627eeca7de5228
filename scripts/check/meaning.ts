/**
 * What the operations of a contract mean, and not only what they look like: which resources a request touches,
 * and what its answer must be then.
 */
import type { Answer } from './answer-reader.js';
import type { Operation } from './description.js';
import type { Breach, Step } from './findings.js';
import type { RequestValues } from './request.js';
import type { Runner } from './runner.js';

/** Which part of a request a case is about; a meaning leaves it as it is. */
export interface Focus {
  readonly part: 'body' | 'path' | 'query' | 'header' | 'cookie';
  /** A JSON pointer into the body, or a parameter's name. */
  readonly where: string;
}

/** Whether the request is sent as it is, or will get a fault that must lead to its refusal. */
export type Purpose = 'accepted' | 'refused';

/** A request that touches nothing but what is the checker's own. */
export interface Prepared {
  readonly values: RequestValues;
  /** The statuses that a server which keeps the contract answers with, where more is known than the YAML says. */
  readonly statuses?: readonly number[] | undefined;
  /** What else is wrong with an answer that the document allows. */
  verify?(answer: Answer): Breach[];
  /** Whether what the answer says has been done shows elsewhere, too. */
  follow?(step: Step, answer: Answer): Promise<Consequence | undefined>;
  /** Whether a request that was refused has changed nothing; tidies up after it. */
  untouched?(answer: Answer): Promise<Consequence | undefined>;
}

export interface Consequence {
  readonly steps: readonly Step[];
  readonly breach: Breach;
}

export interface Meaning {
  /** @returns undefined where the request cannot be sent without touching what is somebody else's */
  prepare(
    operation: Operation,
    values: RequestValues,
    purpose: Purpose,
    focus?: Focus,
  ): Promise<Prepared | undefined>;
  /** What must hold before anything is tried; each throws CannotCheckError if it does not. */
  readonly trials: readonly (() => Promise<void>)[];
  /** Tries what only this meaning knows. */
  readonly probes: readonly ((runner: Runner) => Promise<void>)[];
  /**
   * Promises of the document's prose which no keyword makes: bodies are strict JSON, and a body that nobody
   * asked for is ignored.
   */
  readonly strictJson: boolean;
  /** Makes an item of the checker's own on a path. @returns its path's values; undefined if that cannot be done */
  ownItem(path: string): Promise<OwnTarget | undefined>;
  /** Why a valid request of an operation may not be sent; undefined if it may. */
  obstacle(operation: Operation): string | undefined;
  /** @returns what could not be removed, a sentence each */
  cleanUp(): Promise<readonly string[]>;
}

/** An item of the checker's own, and a body that would change it. */
export interface OwnTarget {
  readonly path: RequestValues['path'];
  readonly body: RequestValues['body'];
  /** Deletes it, if that can be done. */
  discard(): Promise<void>;
}
