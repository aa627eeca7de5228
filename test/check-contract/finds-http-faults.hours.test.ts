import { httpFaults } from '../../scripts/contract/faults/tables/access.js';
import { findFaults } from './find-faults.js';

await findFaults(httpFaults);
