import { gardenFaults } from '../../scripts/contract/faults/tables/gardens.js';
import { findFaults } from './find-faults.js';

await findFaults(gardenFaults);
