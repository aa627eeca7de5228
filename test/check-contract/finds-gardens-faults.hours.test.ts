import { findGardenFaults } from './find-faults.js';

await findGardenFaults();
