import { validationFaults } from '../../scripts/faults/tables/validation.js';
import { findFaults } from './find-faults.js';

await findFaults(validationFaults);
