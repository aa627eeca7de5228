import { noteFaults } from '../../scripts/contract/faults/tables/notes.js';
import { findFaults } from './find-faults.js';

await findFaults(noteFaults);
