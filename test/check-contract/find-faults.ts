import t from 'tap';
import { BrokenServer } from '../../scripts/contract/faults/broken-server.js';
import type { Fault } from '../../scripts/contract/faults/fault-proxy.js';
import { readContract } from '../../src/contract/document/document.js';
import { contractFile } from '../../src/project.js';
import { makeDatabase } from '../support/postgres/database.js';

// Each fault takes about a second on an idle machine, and ten on a busy one.
t.setTimeout(600_000);

/** Expects a run with default settings to find every fault, and to name the broken operation. */
export async function findFaults(faults: readonly Fault[]): Promise<void> {
  const server = new BrokenServer(t, await readContract(contractFile), await makeDatabase(t));
  for (const fault of faults) {
    await t.test(`check:contract finds a fault: ${fault.name}`, async (t) => {
      const { report, found } = await server.try(fault, 1);
      const findings = report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);
      t.ok(found, `names ${fault.operation}`, { findings });
    });
  }
}
