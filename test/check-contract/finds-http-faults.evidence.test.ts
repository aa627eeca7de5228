import { httpFaults } from './faults/access.js';
import { findFaults } from './find-faults.js';

await findFaults(httpFaults);
