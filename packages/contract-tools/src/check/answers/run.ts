/**
 * One run of the checker: the document, the exchange that sends requests, and the record of what came of them.
 * Whatever sends a request may reject with a HaltedError or an UnreachableError. `check.ts` expects both, so
 * nothing else catches them.
 */
import type { Accounts } from '../document/accounts.js';
import type { Description } from '../document/description.js';
import type { Exchange } from '../requests/exchange.js';
import type { Recorder } from './findings.js';

export interface Run {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly recorder: Recorder;
  /** Who calls: the first owner, unless another one is tried. */
  readonly accounts: Accounts;
  readonly seed: number;
  /** The number of generated cases of each operation. */
  readonly cases: number;
  readonly connections: number;
  /** Ends the run once it is aborted. */
  readonly signal: AbortSignal;
}
