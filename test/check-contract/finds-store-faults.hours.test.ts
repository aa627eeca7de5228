import { storeFaults } from '../../scripts/contract/faults/tables/store.js';
import { findFaults } from './find-faults.js';

await findFaults(storeFaults);
