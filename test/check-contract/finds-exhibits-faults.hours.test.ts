import { soundServers } from '../../scripts/contract/faults/all-faults.js';
import { exhibitFaults } from '../../scripts/contract/faults/tables/plain.js';
import { findFaults } from './find-faults.js';

await findFaults([...soundServers.filter(({ service }) => service === 'exhibits'), ...exhibitFaults]);
