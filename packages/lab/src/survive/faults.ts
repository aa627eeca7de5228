/** Lists all faults that a run injects. */

import { databaseFaults } from './faults/database.js';
import type { InjectedFault } from './faults/injected-fault.js';
import { logFaults } from './faults/log.js';
import { networkFaults } from './faults/network.js';
import { processFaults } from './faults/processes.js';

export const faults: readonly InjectedFault[] = [
  ...processFaults,
  ...networkFaults,
  ...databaseFaults,
  ...logFaults,
];
