import { libraryFaults } from './faults/library.js';
import { findFaults } from './find-faults.js';

await findFaults(libraryFaults);
