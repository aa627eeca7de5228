import t from 'tap';
import { readContract } from '../../scripts/codegen/read-contract.js';
import type { Fault } from '../../scripts/contract/faults/fault-proxy.js';
import { findEach } from '../../scripts/contract/test/faults/find-faults.js';
import { BrokenServer } from '../../scripts/faults/broken-server.js';
import { contractFile } from '../../src/project.js';
import { makeDatabase } from '../support/postgres/database.js';

/** Expects as `findEach` does, of the service and of mocks of other contracts. */
export async function findFaults(faults: readonly Fault[]): Promise<void> {
  const server = new BrokenServer(t, await readContract(contractFile), await makeDatabase(t));
  await findEach(faults, (fault) => server.try(fault, 1));
}
