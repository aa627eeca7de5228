import t from 'tap';
import type { Fault } from '../../packages/contract-tools/faults.js';
import { findEach } from '../../packages/contract-tools/test/faults/find-faults.js';
import { contractFile } from '../../packages/kit/index.js';
import type { Contract } from '../../packages/service/layer.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';
import { readContract } from '../../packages/service-tools/index.js';
import { soundServers } from '../faults/all-faults.js';
import { BrokenServer } from '../faults/broken-server.js';
import { gardenFaults } from '../faults/tables/gardens.js';

/**
 * Expects as `findEach` does, of the service and of servers of other contracts.
 *
 * @param gardens as `BrokenServer` takes it
 */
export async function findFaults(faults: readonly Fault[], gardens?: Contract): Promise<void> {
  const server = new BrokenServer(t, await readContract(contractFile), await makeDatabase(t), gardens);
  await findEach(faults, (fault) => server.try(fault, 1));
}

/** @param gardens the contract of the gardens; if left out, as it stands in examples/gardens/ */
export async function findGardenFaults(gardens?: Contract): Promise<void> {
  const sound = soundServers.filter(({ service }) => service === 'gardens');
  await findFaults([...sound, ...gardenFaults], gardens);
}
