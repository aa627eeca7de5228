import { widerFaults } from '../../scripts/faults/tables/wider-plants.js';
import { findFaults } from './find-faults.js';

await findFaults(widerFaults);
