/**
 * What the operations of a contract mean, and not only what they look like. A contract without a meaning is
 * still tried in every other way; only then nobody knows which resources are the checker's own.
 */
import type { Answer } from './answer-reader.js';
import type { Operation } from './description.js';
import type { Breach, Step } from './findings.js';
import type { RequestValues } from './request.js';
import { isSafe, type Run } from './run.js';

/** Which part of a request a case is about; a meaning leaves it as it is. */
export interface Focus {
  readonly part: 'body' | 'path' | 'query' | 'header';
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
  /** Whether a request that was refused has changed nothing; tidies up after it. */
  untouched?(): Promise<Consequence | undefined>;
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
  /** Tries what only this meaning knows. */
  readonly probes: readonly ((run: Run) => Promise<void>)[];
  /**
   * Promises of the document's prose which no keyword makes: bodies are strict JSON, and a body that nobody
   * asked for is ignored.
   */
  readonly strictJson: boolean;
  /** @returns what could not be removed, a sentence each */
  cleanUp(): Promise<readonly string[]>;
}

/** For contracts that nobody has told the checker about: what exists is not changed. */
export const unknownMeaning: Meaning = {
  async prepare(operation, values, purpose) {
    const harmless = purpose === 'refused' || isSafe(operation) || operation.method === 'POST';
    return harmless ? { values } : undefined;
  },
  probes: [],
  strictJson: false,
  async cleanUp() {
    return [];
  },
};
