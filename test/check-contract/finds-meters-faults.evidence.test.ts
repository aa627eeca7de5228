import { meterFaults } from './faults/meters.js';
import { findFaults } from './find-faults.js';

await findFaults(meterFaults);
