import { storeFaults } from './faults/store.js';
import { findFaults } from './find-faults.js';

await findFaults(storeFaults);
