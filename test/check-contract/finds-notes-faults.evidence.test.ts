import { noteFaults } from './faults/notes.js';
import { findFaults } from './find-faults.js';

await findFaults(noteFaults);
