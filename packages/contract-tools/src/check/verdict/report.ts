/** What a run has found, for whoever reports it. */
import type { Presented } from '../../document/credentials.js';
import type { Check, Finding } from '../answers/findings.js';
import type { Rules } from '../document/rules.js';
import type { Unreached, Unseen } from './coverage.js';

export interface Report {
  readonly url: URL;
  readonly file: string;
  readonly seed: number;
  /** The headers of the user's that each request had. */
  readonly headers: readonly Presented[];
  readonly rules: Rules;
  /** The number of cases that were generated for each operation. */
  readonly generated: number;
  readonly checks: readonly Check[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  /** The number of operations of the document. */
  readonly operations: number;
  /** The operations of which nothing was proved, because none answered a valid request with success. */
  readonly unreached: readonly Unreached[];
  /** Documented statuses that no operation has answered with. */
  readonly unseen: readonly Unseen[];
  readonly requests: number;
  /** The number of all cases that were tried, whether generated or not. */
  readonly cases: number;
  readonly seconds: number;
  /** Whether `signal` ended the run. */
  readonly interrupted: boolean;
}
