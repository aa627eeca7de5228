import { validationFaults } from './faults/validation.js';
import { findFaults } from './find-faults.js';

await findFaults(validationFaults);
