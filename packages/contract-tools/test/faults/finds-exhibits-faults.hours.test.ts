import t from 'tap';
import { exhibitFaults, soundPlainServers } from '../../faults/plain-faults.js';
import { servePlain, tryFault } from '../../faults/trial.js';
import { findEach } from './find-faults.js';

const sound = soundPlainServers.filter(({ service }) => service === 'exhibits');

await findEach([...sound, ...exhibitFaults], async (fault) =>
  tryFault(await servePlain(t, 'exhibits', fault.ofServer), fault, 1),
);
