import { libraryFaults } from '../faults/tables/library.js';
import { findFaults } from './find-faults.js';

await findFaults(libraryFaults);
