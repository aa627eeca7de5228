/** All that can happen to the service. */

import type { Random } from '../../kit/random.js';
import { databaseFaults } from './faults/database.js';
import { logFaults } from './faults/log.js';
import { networkFaults } from './faults/network.js';
import { processFaults } from './faults/processes.js';
import type { Stage } from './stage.js';

export interface Fault {
  readonly name: string;
  /** It takes ten seconds and more, which only longer runs have. */
  readonly slow?: true;
  /** Clients must not notice it: nobody is refused, and somebody is served all the time. */
  readonly isUnnoticed?: true;
  /** What is not possible here, and why; undefined if it is. */
  missing?(stage: Stage): string | undefined;
  /** Resolves when it is over. */
  strike(stage: Stage, random: Random): Promise<void>;
}

export const faults: readonly Fault[] = [...processFaults, ...networkFaults, ...databaseFaults, ...logFaults];
