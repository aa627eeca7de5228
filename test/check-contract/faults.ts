/** All faults: plausible mistakes of a server, one at a time, across all that the checker should see. */
import type { Fault } from './fault-proxy.js';
import { accessFaults, httpFaults } from './faults/access.js';
import { answerFaults } from './faults/answers.js';
import { libraryFaults } from './faults/library.js';
import { meterFaults } from './faults/meters.js';
import { noteFaults } from './faults/notes.js';
import { storeFaults } from './faults/store.js';
import { validationFaults } from './faults/validation.js';
import { widerFaults } from './faults/wider-plants.js';

export const faults: readonly Fault[] = [
  ...answerFaults,
  ...validationFaults,
  ...storeFaults,
  ...accessFaults,
  ...httpFaults,
  ...widerFaults,
  ...libraryFaults,
  ...meterFaults,
  ...noteFaults,
];
