import { widerFaults } from '../faults/tables/wider-plants.js';
import { findFaults } from './find-faults.js';

await findFaults(widerFaults);
