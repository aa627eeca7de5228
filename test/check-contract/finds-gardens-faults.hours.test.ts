import { gardenFaults } from '../../scripts/faults/tables/gardens.js';
import { findFaults } from './find-faults.js';

await findFaults(gardenFaults);
