import { soundServers } from '../../scripts/contract/faults/all-faults.js';
import { repairFaults } from '../../scripts/contract/faults/tables/plain.js';
import { findFaults } from './find-faults.js';

await findFaults([...soundServers.filter(({ service }) => service === 'repairs'), ...repairFaults]);
