import { answerFaults } from './faults/answers.js';
import { findFaults } from './find-faults.js';

await findFaults(answerFaults);
