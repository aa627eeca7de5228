import { widerFaults } from './faults/wider-plants.js';
import { findFaults } from './find-faults.js';

await findFaults(widerFaults);
