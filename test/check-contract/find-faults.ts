import t from 'tap';
import { BrokenServer } from '../../scripts/faults/broken-server.js';
import type { Fault } from '../../scripts/faults/fault-proxy.js';
import { readContract } from '../../src/contract/document/document.js';
import { contractFile } from '../../src/project.js';
import { makeDatabase } from '../support/database.js';

// Each fault takes about a second on a machine that has nothing else to do, and ten on one that has.
t.setTimeout(600_000);

/** Every fault is found by a run as it is by default, and put down to the operation that is broken. */
export async function findFaults(faults: readonly Fault[]): Promise<void> {
  const server = new BrokenServer(t, await readContract(contractFile), await makeDatabase(t));
  for (const fault of faults) {
    await t.test(fault.name, async (t) => {
      const { report, found } = await server.try(fault, 1);
      const findings = report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);
      t.ok(found, `names ${fault.operation}`, { findings });
    });
  }
}
