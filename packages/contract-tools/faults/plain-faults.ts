/** The faults of the plain servers: each is in the server itself. */
import { type Fault, nothing, type ServiceName } from './fault-proxy.js';
import { exhibitFaults as ofExhibits } from './models/exhibits/faults.js';
import type { PlainFault } from './models/plain/faults.js';
import { repairFaults as ofRepairs } from './models/repairs/faults.js';

export const repairFaults = faultsIn('repairs', ofRepairs);
export const exhibitFaults = faultsIn('exhibits', ofExhibits);

/** The plain servers without a fault, in which the checker must find nothing. */
export const soundPlainServers: readonly Fault[] = [
  { ...nothing, name: 'none, in repairs', service: 'repairs' },
  { ...nothing, name: 'none, in exhibits', service: 'exhibits' },
];

function faultsIn(service: ServiceName, table: Readonly<Record<string, PlainFault>>): readonly Fault[] {
  return Object.entries(table).map(([name, fault]) => ({
    ...fault,
    ...{ name, service, ofServer: name, start: nothing.start },
  }));
}
