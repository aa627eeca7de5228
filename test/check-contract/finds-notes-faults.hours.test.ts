import { noteFaults } from '../../scripts/faults/tables/notes.js';
import { findFaults } from './find-faults.js';

await findFaults(noteFaults);
