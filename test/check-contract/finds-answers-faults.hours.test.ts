import { answerFaults } from '../../scripts/contract/faults/tables/answers.js';
import { findFaults } from './find-faults.js';

await findFaults(answerFaults);
