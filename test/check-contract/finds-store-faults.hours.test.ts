import { storeFaults } from '../faults/tables/store.js';
import { findFaults } from './find-faults.js';

await findFaults(storeFaults);
