import t from 'tap';
import { repairFaults, soundPlainServers } from '../../faults/plain-faults.js';
import { servePlain, tryFault } from '../../faults/trial.js';
import { findEach } from './find-faults.js';

const sound = soundPlainServers.filter(({ service }) => service === 'repairs');

await findEach([...sound, ...repairFaults], async (fault) =>
  tryFault(await servePlain(t, 'repairs', fault.ofServer), fault, 1),
);
