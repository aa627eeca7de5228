import { meterFaults } from '../../scripts/contract/faults/tables/meters.js';
import { findFaults } from './find-faults.js';

await findFaults(meterFaults);
