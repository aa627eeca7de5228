import { meterFaults } from '../faults/tables/meters.js';
import { findFaults } from './find-faults.js';

await findFaults(meterFaults);
