/** Says what an injected fault is. */

import type { Random } from '../../../../contract-tools/base.js';
import type { Stage } from '../stage.js';

/** A failure that a run causes while clients send requests, such as a killed process or a cut network. */
export interface InjectedFault<Target = Stage> {
  readonly name: string;
  /** Set if the fault takes ten seconds and more, for which only longer runs have the time. */
  readonly slow?: true;
  /** Set if clients must not notice it: nobody is refused, and somebody is served all the time. */
  readonly isUnnoticed?: true;
  /** @returns why the fault is not possible on this stage; undefined if it is */
  missing?(target: Target): string | undefined;
  /** Injects the fault, and resolves when it is over. */
  inject(target: Target, random: Random): Promise<void>;
}
