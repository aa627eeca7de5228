/**
 * Says what an attack is: a way to do harm to the service by requests, with what the service promises then.
 */
import type { Target } from './target.js';

export interface Attack {
  /** Says what is sent, in Markdown. */
  readonly name: string;
  /** Says what the service promises to do; `carryOut` finds out whether it does. */
  readonly promise: string;
  /** Set if the process is gone afterwards, so that another owner cannot create meanwhile. */
  readonly endsServer?: true;
  /** The settings of the service under attack. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Carries it out once, and compares what came of it with the promise. */
  carryOut(target: Target): Promise<AttackResult>;
}

export interface AttackResult {
  /** Says what the client saw, in a few words. */
  readonly saw: string;
  readonly isAsPromised: boolean;
}
