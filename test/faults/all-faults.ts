/** Lists all faults that the checker must find: honest mistakes that a server could make, one at a time. */
import {
  exhibitFaults,
  type Fault,
  nothing,
  repairFaults,
  soundPlainServers,
} from '../../packages/contract-tools/faults.js';
import { accessFaults, answeredHead, httpFaults } from './tables/access.js';
import { answerFaults } from './tables/answers.js';
import { gardenFaults } from './tables/gardens.js';
import { libraryFaults } from './tables/library.js';
import { meterFaults } from './tables/meters.js';
import { noteFaults } from './tables/notes.js';
import { storeFaults } from './tables/store.js';
import { validationFaults } from './tables/validation.js';
import { widerFaults } from './tables/wider-plants.js';

export const faults: readonly Fault[] = [
  ...answerFaults,
  ...validationFaults,
  ...storeFaults,
  ...accessFaults,
  ...httpFaults,
  ...gardenFaults,
  ...widerFaults,
  ...libraryFaults,
  ...meterFaults,
  ...noteFaults,
  ...repairFaults,
  ...exhibitFaults,
];

/** Servers without a fault, in which the checker must find nothing. */
export const soundServers: readonly Fault[] = [
  nothing,
  answeredHead,
  { ...nothing, name: 'none, in gardens', service: 'gardens' },
  ...soundPlainServers,
];
