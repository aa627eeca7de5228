import t from 'tap';
import { readContract } from '../../src/contract/document/document.js';
import { contractFile } from '../../src/project.js';
import { BrokenServer } from './broken-server.js';
import type { Fault } from './fault-proxy.js';

// Each fault takes about a second on an idle machine, and ten on a busy one.
t.setTimeout(600_000);

/** Expects a run with default settings to find every fault, and to name the broken operation. */
export async function findFaults(faults: readonly Fault[]): Promise<void> {
  const server = await BrokenServer.start(t, await readContract(contractFile));
  for (const fault of faults) {
    await t.test(`check:contract finds a fault: ${fault.name}`, async (t) => {
      const { report, found } = await server.try(fault, 1);
      const findings = report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);
      t.ok(found, `names ${fault.operation}`, { findings });
    });
  }
}
