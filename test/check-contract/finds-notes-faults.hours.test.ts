import { noteFaults } from '../faults/tables/notes.js';
import { findFaults } from './find-faults.js';

await findFaults(noteFaults);
