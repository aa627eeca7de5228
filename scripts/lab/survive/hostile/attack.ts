/** What a client sends to do harm, and what the service promises then. */
import type { Target } from './target.js';

export interface Attack {
  /** What is sent, in Markdown. */
  readonly name: string;
  /** What the service does; `carryOut` finds out whether it does. */
  readonly promise: string;
  /** It mostly waits: such attacks are carried out at the same time, each against a process of its own. */
  readonly isSlow?: true;
  /** The process is gone afterwards, so that another owner cannot create meanwhile. */
  readonly endsServer?: true;
  /** Of the service. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What the plain server does not have, so that it cannot be attacked. */
  readonly plainHasNo?: string;
  carryOut(target: Target): Promise<Outcome>;
}

export interface Outcome {
  /** By the client, in a few words. */
  readonly saw: string;
  readonly isAsPromised: boolean;
}
