import { accessFaults } from '../faults/tables/access.js';
import { findFaults } from './find-faults.js';

await findFaults(accessFaults);
