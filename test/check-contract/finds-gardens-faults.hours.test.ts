import { soundServers } from '../../scripts/faults/all-faults.js';
import { gardenFaults } from '../../scripts/faults/tables/gardens.js';
import { findFaults } from './find-faults.js';

await findFaults([...soundServers.filter(({ service }) => service === 'gardens'), ...gardenFaults]);
