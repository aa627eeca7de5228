import { validationFaults } from '../faults/tables/validation.js';
import { findFaults } from './find-faults.js';

await findFaults(validationFaults);
