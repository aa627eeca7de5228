import t from 'tap';
import { readContract } from '../../scripts/codegen/read-contract.js';
import type { Fault } from '../../scripts/contract/faults/fault-proxy.js';
import { findEach } from '../../scripts/contract/test/faults/find-faults.js';
import { soundServers } from '../../scripts/faults/all-faults.js';
import { BrokenServer } from '../../scripts/faults/broken-server.js';
import { gardenFaults } from '../../scripts/faults/tables/gardens.js';
import type { Contract } from '../../src/contract/contract.js';
import { contractFile } from '../../src/project.js';
import { makeDatabase } from '../support/postgres/database.js';

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
